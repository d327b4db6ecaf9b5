package io.holdfast.testservers;

import io.holdfast.testkit.cluster.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/** A database server as a process that can be stopped for a while, killed, and started again with the data that it has. */
public final class DatabaseProcess implements AutoCloseable {

    /** The time that a server may take to start. */
    public static final Duration START = Duration.ofSeconds(60);

    private static final int PORTS = 3;
    private static final long STEP_MILLIS = 50;

    private final Product product;
    private final int port;
    private final ServerProcess process;

    private DatabaseProcess(Product product, int port, ServerProcess process) {
        this.product = product;
        this.port = port;
        this.process = process;
    }

    /**
     * How clients name a server of some kind.
     *
     * @param scheme the part of a JDBC URL after {@code jdbc:}
     * @param first the database that exists
     * @param used the database that clients use; it is created if it is not the first one
     * @param settings the parameters of the URL
     */
    public record Product(String scheme, String first, String used, String settings) {

        private String uri(int port, String database) {
            return "jdbc:" + scheme + "://127.0.0.1:" + port + "/" + database + "?" + settings;
        }
    }

    /**
     * Starts PostgreSQL with a new database, which loses no commit when the server is killed, though it does not wait for the disk.
     *
     * @param folder an empty folder for the data
     * @param programs the folder of the server's programs
     */
    public static DatabaseProcess startPostgreSql(Path folder, Path programs) throws IOException, InterruptedException {
        Path data = folder.resolve("data");
        // it refuses to run as root, and does not see who runs it in a user namespace of its own
        List<String> prefix = System.getProperty("user.name").equals("root") ? List.of("unshare", "-U") : List.of();
        List<String> install = new ArrayList<>(prefix);
        install.addAll(List.of(programs.resolve("initdb").toString(), "-U", "postgres", "-A", "trust", "--no-sync"));
        install.addAll(List.of("-D", data.toString()));
        ServerProcess.run(folder, START.toSeconds(), install);
        Product product = new Product("postgresql", "postgres", "postgres", "user=postgres");
        return start(folder, data.resolve("postmaster.pid"), product, port -> {
            List<String> command = new ArrayList<>(prefix);
            command.addAll(List.of(programs.resolve("postgres").toString(), "-D", data.toString(), "-F"));
            command.addAll(List.of("-p", "" + port, "-c", "listen_addresses=127.0.0.1", "-k", folder.toString()));
            return command;
        });
    }

    /** Returns the folder of the programs of a PostgreSQL server that runs on this host. */
    public static Path programsOfPostgreSql(String uri) throws IOException {
        try (Connection connection = DriverManager.getConnection(uri);
                Statement statement = connection.createStatement();
                ResultSet folder = statement.executeQuery("SHOW data_directory")) {
            if (!folder.next()) {
                throw new AssertionError("no data_directory");
            }
            Path pidFile = Path.of(folder.getString(1)).resolve("postmaster.pid");
            long pid = Long.parseLong(Files.readAllLines(pidFile).get(0));
            return ProcessHandle.of(pid)
                    .flatMap(postmaster -> postmaster.info().command())
                    .map(command -> Path.of(command).resolveSibling(""))
                    .orElseThrow();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Starts a server on a free port. Another process may take the port in between, so it is tried again on another one. */
    public static DatabaseProcess start(Path folder, Path pidFile, Product product, IntFunction<List<String>> command)
            throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            int port = Ports.free();
            ServerProcess process = new ServerProcess(folder, pidFile, command.apply(port));
            DatabaseProcess started = new DatabaseProcess(product, port, process);
            if (started.answers(Optional.of(product.used()).filter(name -> !name.equals(product.first())))) {
                return started;
            }
            String output = process.output();
            process.close();
            if (attempt == PORTS) {
                throw new AssertionError("the server does not start: " + output);
            }
        }
    }

    /** Waits until the server answers, and then creates a database. */
    private boolean answers(Optional<String> missing) throws InterruptedException {
        long end = System.nanoTime() + START.toNanos();
        while (process.isAlive() && System.nanoTime() - end < 0) {
            try (Connection connection = DriverManager.getConnection(product.uri(port, product.first()));
                    Statement statement = connection.createStatement()) {
                if (missing.isPresent()) {
                    statement.execute("CREATE DATABASE IF NOT EXISTS " + missing.get());
                }
                return true;
            } catch (SQLException e) {
                Thread.sleep(STEP_MILLIS);
            }
        }
        return false;
    }

    /** Returns the JDBC URL of the database. */
    public String uri() {
        return uri(port);
    }

    /** Returns the JDBC URL of the database at another port, which leads to the server. */
    public String uri(int path) {
        return product.uri(path, product.used());
    }

    /** Returns the port of the server. */
    public int port() {
        return port;
    }

    /** Stops all processes of the server, which then accepts connections, and answers nothing. */
    public void pause() {
        process.pause();
    }

    /** Ends {@link #pause}. */
    public void resume() {
        process.resume();
    }

    /** Kills all processes of the server. */
    public void kill() {
        process.kill();
    }

    /** Starts it again after it was killed. Its old processes may have yet to end, in which case it refuses. */
    public void restart() throws IOException, InterruptedException {
        long end = System.nanoTime() + START.toNanos();
        do {
            process.start();
            if (answers(Optional.empty())) {
                return;
            }
        } while (System.nanoTime() - end < 0);
        throw new AssertionError("the server does not start again: " + process.output());
    }

    @Override
    public void close() {
        process.close();
    }
}
