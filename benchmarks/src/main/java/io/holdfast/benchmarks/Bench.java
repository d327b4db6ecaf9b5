package io.holdfast.benchmarks;

import com.mongodb.MongoException;
import io.holdfast.benchmarks.jmh.InsideBenchmark;
import io.holdfast.benchmarks.meter.ServerMeter;
import io.holdfast.embedded.redis.RedisServer;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.Main;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code holdfast bench}. */
@Command(
        name = "holdfast bench",
        usageHelpWidth = 100,
        sortOptions = false,
        description = {
            "Compares Holdfast and Redisson on one server, with a lower bound (floor): the same scripts through the bare"
                    + " driver. On another server, it compares Holdfast with that server's locks: ShedLock and Spring"
                    + " Integration (databases), ShedLock (MongoDB), Curator (ZooKeeper), or jetcd (etcd), and with the"
                    + " least that a lock needs there.",
            "",
            "Each subject runs in its own processes. The subjects run one after the other, round by round. Where only one"
                    + " thread may be in the critical section, a counter in memory that all processes share detects a"
                    + " second one.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:Holdfast finished every cell, never admitted two threads at once, and lost no lock",
            "1:Holdfast did not; a failure of another subject is only reported",
            "2:wrong arguments",
            "69:the store cannot be used"
        })
public final class Bench implements Callable<Integer> {

    private static final int UNUSABLE = 69;
    private static final List<Class<? extends Exception>> UNUSABLES =
            List.of(RedisException.class, SQLException.class, ConnectException.class, MongoException.class);

    // with a shorter warm-up, the JIT compilation is measured as well
    private static final long WARM_UP_MILLIS = 8_000;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--cases",
            paramLabel = "NAME",
            split = ",",
            description = "The cases to measure. Default: all cases, which takes less than half an hour.")
    private Set<String> cases = new TreeSet<>();

    @Option(
            names = "--threads",
            paramLabel = "N",
            split = ",",
            description = "Threads of each process, unless a case has another size. Default: those of the cases.")
    private List<Integer> threads = new ArrayList<>();

    @Option(names = "--seconds", paramLabel = "S", description = "Duration of a round. Default: 2; with --quick 0.4.")
    private @Nullable Double seconds;

    @Option(
            names = "--warm-up",
            paramLabel = "S",
            description =
                    "Duration of the warm-up round, which is not measured. Default: 8, or a round if that is longer;"
                            + " with --quick a round.")
    private @Nullable Double warmUp;

    @Option(names = "--rounds", paramLabel = "N", description = "Measured rounds. Default: 3; with --quick 1.")
    private @Nullable Integer rounds;

    @Option(
            names = "--limit",
            paramLabel = "S",
            description =
                    "Time limit for the start of a subject, and for a round beyond its duration. A subject that exceeds"
                            + " it fails in this cell. Default: 600; with --quick 60.")
    private @Nullable Double limit;

    @Option(
            names = "--quick",
            description =
                    "Runs one small cell of each case with little JIT compilation: shows that everything works, not"
                            + " how fast it is.")
    private boolean quick;

    @Option(names = "--inside", description = "Measures the cost of the engine inside one process instead, with JMH.")
    private boolean inside;

    @Option(
            names = "--store",
            paramLabel = "URI",
            description =
                    "A server without data, which is cleared after each cell: redis:, zookeeper:, etcd:, mongodb:, or a"
                            + " database (jdbc:), of which the tables of all subjects are cleared. Default: its own"
                            + " Redis.")
    private @Nullable String store;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the figures to this file, too.")
    private @Nullable Path json;

    @Option(names = "--html", paramLabel = "FILE", description = "Writes a page with plots to this file, too.")
    private @Nullable Path html;

    @Option(names = "--plots", paramLabel = "FOLDER", description = "Writes each plot to a file in this folder, too.")
    private @Nullable Path plots;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this help.")
    @SuppressWarnings("UnusedVariable")
    private boolean help;

    private String[] arguments = {};

    private Bench() {}

    /** Runs the command, and ends the JVM with its exit code. */
    public static void main(String[] arguments) {
        System.exit(commandLine(arguments).execute(arguments));
    }

    static CommandLine commandLine(String... arguments) {
        Bench bench = new Bench();
        bench.arguments = arguments.clone();
        return new CommandLine(bench).setExecutionExceptionHandler((e, line, parsed) -> {
            line.getErr().println("holdfast bench: " + e.getMessage());
            return UNUSABLES.stream().anyMatch(kind -> kind.isInstance(e)) ? UNUSABLE : CommandLine.ExitCode.SOFTWARE;
        });
    }

    @Override
    public Integer call() throws IOException, SQLException {
        if (inside) {
            Main.main(new String[] {InsideBenchmark.class.getName()});
            return CommandLine.ExitCode.OK;
        }
        BenchOptions options = options();
        if (options.store().isPresent()) {
            return run(options, options.store().get());
        }
        try (RedisServer server = RedisServer.start()) {
            return run(options, server.uri());
        }
    }

    private BenchOptions options() {
        try {
            long millis = millis(seconds != null ? seconds : quick ? 0.4 : 2);
            return new BenchOptions(
                    cases,
                    threads,
                    rounds != null ? rounds : quick ? 1 : 3,
                    millis,
                    warmUp != null ? millis(warmUp) : quick ? millis : Math.max(WARM_UP_MILLIS, millis),
                    quick,
                    Duration.ofMillis(millis(limit != null ? limit : quick ? 60 : 600)),
                    Optional.ofNullable(store),
                    Optional.ofNullable(json),
                    Optional.ofNullable(html),
                    Optional.ofNullable(plots));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private static long millis(double seconds) {
        return Math.round(seconds * 1_000);
    }

    private int run(BenchOptions options, String uri) throws IOException, SQLException {
        PrintWriter out = spec.commandLine().getOut();
        Path folder = Files.createTempDirectory("holdfast-bench");
        try (ServerMeter server = ServerMeter.of(uri)) {
            if (!server.isEmpty()) {
                throw new ParameterException(
                        spec.commandLine(), "the database of --store is not empty, and all its data would be deleted");
            }
            Report report = new Report(Machine.here(server.version(), List.of(arguments)), options.shownStore());
            Series series = new Series(options, uri, server, folder);
            for (Cell cell : options.cells()) {
                out.print(report.add(cell, series.run(cell)));
                out.flush();
                // a failure of a later cell must not lose the earlier results
                report.write(options.json(), options.html(), options.plots());
            }
            return report.isClean() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
        } finally {
            delete(folder);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(Bench::deleteOne);
        }
    }

    private static void deleteOne(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
