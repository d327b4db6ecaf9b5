package io.holdfast.torture;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code holdfast torture}. */
@Command(
        name = "holdfast torture",
        usageHelpWidth = 100,
        sortOptions = false,
        description = {
            "Lets the threads of several processes contend for locks of all kinds, injects faults, and checks the history of"
                    + " all holds: two valid holds at once, tokens that do not rise, losses of which no owner was told, calls"
                    + " that take more than 2 s beyond their time, and names that stay held.",
            "",
            "The faults of workers: killed, stopped, suspended. If this command has started the server, also: the server"
                    + " killed and stopped, connections cut, replies lost or later than a lease. The seed decides on kinds,"
                    + " victims and times, not on how the threads of the processes interleave.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:no promise was broken", "1:a promise was broken", "2:wrong arguments", "69:the run failed"})
public final class Torture implements Callable<Integer> {

    private static final int UNUSABLE = 69;
    private static final int MOST_SHOWN = 10;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--store",
            paramLabel = "STORE",
            description = "embedded:redis (default), embedded:postgresql, embedded:zookeeper, embedded:etcd (which"
                    + " servers/etcd brings), or the URI of a server, which no fault touches.")
    private String store = EmbeddedStore.REDIS.toString();

    @Option(
            names = "--subject",
            paramLabel = "NAME",
            description = "holdfast (default), or setnx: the usual home-made lock of Redis.")
    private String subject = Subject.HOLDFAST.toString();

    @Option(names = "--processes", paramLabel = "N", description = "Worker processes. Default: 3.")
    private int processes = 3;

    @Option(names = "--threads", paramLabel = "N", description = "Threads of each process. Default: 4.")
    private int threads = 4;

    @Option(names = "--seconds", paramLabel = "S", description = "Time for which faults are injected. Default: 60.")
    private long seconds = 60;

    @Option(names = "--seed", paramLabel = "N", description = "Default: a random one.")
    private @Nullable Long seed;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the result as JSON.")
    private @Nullable Path json;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this help.")
    @SuppressWarnings("UnusedVariable")
    private boolean help;

    private Torture() {}

    /** Runs the command, and ends the process with its exit code. */
    public static void main(String[] arguments) {
        // whatever was started, also when this process is interrupted
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly)));
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Torture()).setExecutionExceptionHandler((e, line, parsed) -> {
            e.printStackTrace(line.getErr());
            return UNUSABLE;
        });
    }

    @Override
    public Integer call() throws Exception {
        TortureOptions options = options();
        PrintWriter out = spec.commandLine().getOut();
        out.println(options.command());
        TortureResult result = run(options, out);
        report(result, out);
        if (options.json().isPresent()) {
            result.write(options.json().get());
        }
        if (result.isBroken()) {
            return CommandLine.ExitCode.SOFTWARE;
        }
        return result.isClean() ? CommandLine.ExitCode.OK : UNUSABLE;
    }

    private static TortureResult run(TortureOptions options, PrintWriter out) throws Exception {
        try {
            return new TortureRun(options, out).run();
        } catch (Error e) {
            // a server or a worker did not start, for example
            throw new IllegalStateException(e);
        }
    }

    private TortureOptions options() {
        try {
            return new TortureOptions(
                    store,
                    Subject.named(subject),
                    processes,
                    threads,
                    Duration.ofSeconds(seconds),
                    seed == null ? System.nanoTime() : seed,
                    Optional.ofNullable(json));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private static void report(TortureResult result, PrintWriter out) {
        out.println(result.outcome() + ", faults " + result.faults());
        result.violations().stream().limit(MOST_SHOWN).forEach(out::println);
        out.println(
                result.isClean()
                        ? "no promise was broken"
                        : result.violations().size() + " violations; the same faults again: "
                                + result.options().command());
    }
}
