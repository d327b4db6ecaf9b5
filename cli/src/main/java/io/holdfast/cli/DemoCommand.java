package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.cli.demo.Demo;
import io.holdfast.cli.demo.DemoOptions;
import io.holdfast.cli.demo.Progress;
import io.holdfast.examples.flashsale.StrategyKind;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The command {@code holdfast demo}. */
@Command(
        name = "demo",
        description = {
            "Runs one flash sale for each strategy, from many processes at once, and counts the orders.",
            "",
            "Every purchase reads the stock, checks it, works, and then writes stock and order. In each flash sale, one"
                    + " process is killed between check and write, and one purchase takes longer than a lease.",
            ""
        },
        sortOptions = false,
        footer = {
            "",
            "In a checkout of the sources, ./holdfast demo --web sells in a shop with Spring Boot, over HTTP; see"
                    + " ./holdfast demo --web --help."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the flash sales under Holdfast locks were exact, even though one process was killed (or none was requested)",
            "1:one of them was not exact, or a worker failed",
            "2:wrong arguments",
            "69:the store cannot be used"
        })
final class DemoCommand implements Callable<Integer> {

    private static final String LIVE = "holdfast.terminal";

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--processes",
            paramLabel = "N",
            defaultValue = "4",
            description = "Worker JVMs, 2 to 64. Default: ${DEFAULT-VALUE}.")
    private int processes;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "8",
            description = "Sellers in each of them, 1 to 256. Default: ${DEFAULT-VALUE}.")
    private int threads;

    @Option(
            names = "--stock",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Items for sale, 100 to 100000; buyers never run out. Default: ${DEFAULT-VALUE}.")
    private int stock;

    @Option(
            names = "--work",
            paramLabel = "TIME",
            defaultValue = "2ms",
            converter = DurationConverter.class,
            description = "Time between reading the stock and writing it, at most 10s. Default: ${DEFAULT-VALUE}.")
    private Duration work = Duration.ZERO;

    @Option(
            names = "--store",
            paramLabel = "URI",
            defaultValue = DemoOptions.EMBEDDED,
            description =
                    "The store of the locks, for example redis://localhost:6379. If it is Redis, the stock is there,"
                            + " too; otherwise on a server of the demo. Default: ${DEFAULT-VALUE}, that server for both.")
    private String store = DemoOptions.EMBEDDED;

    @Option(
            names = "--strategies",
            paramLabel = "NAME",
            split = ",",
            converter = StrategyConverter.class,
            description =
                    "How the sellers exclude each other: none, decrement, setnx, setnx-ttl, setnx-owner, lock, fair,"
                            + " segmented, allotment. Default: all that the store supports.")
    private List<StrategyKind> strategies = List.of();

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the figures to this file, too.")
    private @Nullable Path json;

    @Option(names = "--html", paramLabel = "FILE", description = "Writes a report with charts to this file, too.")
    private @Nullable Path html;

    @Override
    public Integer call() throws IOException, InterruptedException {
        DemoOptions options = options();
        if (options.store().equals(DemoOptions.EMBEDDED)) {
            return run(options);
        }
        try (Holdfast first = connect(options.store())) {
            spec.commandLine().getErr().println("locks in " + first);
            return run(options);
        }
    }

    private int run(DemoOptions options) throws IOException, InterruptedException {
        PrintWriter err = spec.commandLine().getErr();
        Demo demo = new Demo(options, new Progress(err, Boolean.getBoolean(LIVE)));
        return demo.run(spec.commandLine().getOut()) ? ExitCode.OK : ExitCode.FAILED;
    }

    private DemoOptions options() {
        try {
            requireWritable("--json", json);
            requireWritable("--html", html);
            List<StrategyKind> chosen = strategies.isEmpty() ? DemoOptions.strategiesFor(store) : strategies;
            return new DemoOptions(
                    processes,
                    threads,
                    stock,
                    work,
                    store,
                    chosen,
                    Optional.ofNullable(json),
                    Optional.ofNullable(html));
        } catch (IllegalArgumentException e) {
            throw wrong(e);
        }
    }

    /**
     * Connects to the store before anything is started, so that a store that cannot be used is reported clearly. The client
     * stays open until the demo ends, because some stores live in the process that opened them first.
     */
    private Holdfast connect(String uri) {
        try {
            return Holdfast.connect(uri);
        } catch (IllegalArgumentException e) {
            throw wrong(e);
        }
    }

    private ParameterException wrong(IllegalArgumentException e) {
        return new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }

    private static void requireWritable(String option, @Nullable Path file) {
        if (file == null) {
            return;
        }
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || !Files.isWritable(folder) || Files.isDirectory(file)) {
            throw new IllegalArgumentException(option + " " + file + ": cannot be written");
        }
    }

    private static final class StrategyConverter implements ITypeConverter<StrategyKind> {

        @Override
        public StrategyKind convert(String label) {
            return StrategyKind.of(label)
                    .orElseThrow(() -> new TypeConversionException(
                            "there is no strategy '" + label + "', only " + String.join(", ", StrategyKind.labels())));
        }
    }
}
