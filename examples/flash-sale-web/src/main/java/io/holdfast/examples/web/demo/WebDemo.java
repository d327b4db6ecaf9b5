package io.holdfast.examples.web.demo;

import io.holdfast.examples.web.Books;
import io.holdfast.examples.web.Way;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** The command {@code holdfast demo --web}: runs one sale for each way, one after the other. */
public final class WebDemo {

    private static final int OK = 0;
    private static final int FAILED = 1;
    private static final int USAGE = 2;
    private static final int UNUSABLE = 69;

    private final Options options;
    private final Scale scale;
    private final PrintStream err;
    private int instances;

    WebDemo(Options options, Scale scale, PrintStream err) {
        this.options = options;
        this.scale = scale;
        this.err = err;
    }

    /** Runs the demo, and ends the JVM with its exit code. */
    public static void main(String[] arguments) {
        System.setProperty("logback.configurationFile", "io/holdfast/examples/web/demo/logback.xml");
        // without it, each answer of the proxy would wait for the acknowledgment of its header
        System.setProperty("sun.net.httpserver.nodelay", "true");
        AtomicBoolean ending = new AtomicBoolean();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            ending.set(true);
            Instance.killAll();
        }));
        try {
            System.exit(run(arguments, System.out, System.err));
        } catch (IOException | InterruptedException | SQLException | RuntimeException e) {
            if (!ending.get()) { // otherwise it fails because the instances have been killed
                e.printStackTrace();
                System.exit(FAILED);
            }
        }
    }

    static int run(String[] arguments, PrintStream out, PrintStream err)
            throws IOException, InterruptedException, SQLException {
        Options options;
        try {
            options = Options.of(List.of(arguments));
        } catch (IllegalArgumentException e) {
            err.println(e.getMessage());
            err.println(Options.USAGE);
            return USAGE;
        }
        if (options.help()) {
            out.println(Options.USAGE);
            return OK;
        }
        return new WebDemo(options, Scale.DEMO, err).run(out);
    }

    private int run(PrintStream out) throws IOException, InterruptedException, SQLException {
        StoreServer server;
        try {
            server = options.postgres() ? StoreServer.postgreSql() : StoreServer.redis();
        } catch (IOException | RuntimeException e) {
            err.println("the store cannot be used: " + e.getMessage());
            return UNUSABLE;
        }
        try (server) {
            List<Row> rows = sell(server);
            Table.print(rows, scale, server.name(), out);
            return rows.stream().allMatch(Row::asExpected) ? OK : FAILED;
        }
    }

    /** Runs the sales. After each, the instance that was killed is replaced, and the one that was paused is killed next. */
    List<Row> sell(StoreServer server) throws IOException, InterruptedException, SQLException {
        List<Row> rows = new ArrayList<>();
        try (Books books = server.books()) {
            err.println("starting two instances");
            Instance killed = start(server);
            Instance paused = start(server);
            for (Way way : options.ways()) {
                Row row = new Sale(books, way, scale).run(paused, killed);
                rows.add(row);
                err.println(way.label() + ": " + row.orders() + " orders, " + row.left() + " left");
                if (rows.size() < options.ways().size()) {
                    killed = paused;
                    paused = start(server);
                }
            }
            return rows;
        } finally {
            Instance.killAll();
        }
    }

    private Instance start(StoreServer server) throws IOException {
        instances++;
        List<String> arguments = new ArrayList<>(server.arguments());
        arguments.add("--holdfast.lease=" + Scale.LEASE.toMillis() + "ms");
        arguments.add("--shop.expiry=" + Scale.LEASE.toMillis() + "ms");
        arguments.add("--shop.work=" + Scale.WORK.toMillis() + "ms");
        return Instance.start(instances, arguments);
    }
}
