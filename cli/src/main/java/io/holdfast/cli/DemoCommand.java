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

/** {@code holdfast demo}. */
@Command(
        name = "demo",
        description = {
            "Sells one product from many processes at once, and counts what was sold.",
            "",
            "Every strategy runs the same sale: read the stock, check it, work, then write stock and order in one"
                    + " transaction. Where sellers hold a lock, one process is killed while it holds it.",
            ""
        },
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the sale under 'lock' was exact, though one process was killed (or 'lock' was not asked for)",
            "1:it was not, or a worker failed",
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
            defaultValue = "500",
            description = "Items for sale, 10 to 100000; buyers never run out. Default: ${DEFAULT-VALUE}.")
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
            description = "Redis for locks and stock, for example redis://localhost:6379. Default: ${DEFAULT-VALUE},"
                    + " a server of the demo's own.")
    private String store = DemoOptions.EMBEDDED;

    @Option(
            names = "--strategies",
            paramLabel = "NAME",
            split = ",",
            defaultValue = "none,lock",
            converter = StrategyConverter.class,
            description = "What keeps the sellers apart. Default: ${DEFAULT-VALUE}.")
    private List<StrategyKind> strategies = List.of();

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the figures to this file, too.")
    private @Nullable Path json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        DemoOptions options = options();
        requireUsable(options.store());
        PrintWriter err = spec.commandLine().getErr();
        Demo demo = new Demo(options, new Progress(err, Boolean.getBoolean(LIVE)));
        boolean good = demo.run(spec.commandLine().getOut());
        return good ? ExitCode.OK : ExitCode.FAILED;
    }

    private DemoOptions options() {
        try {
            requireWritable(json);
            return new DemoOptions(processes, threads, stock, work, store, strategies, Optional.ofNullable(json));
        } catch (IllegalArgumentException e) {
            throw wrong(e);
        }
    }

    /** Here, before anything is started, so that a store that can't be used gets a clear text of its own. */
    private void requireUsable(String uri) {
        if (uri.equals(DemoOptions.EMBEDDED)) {
            return;
        }
        try {
            Holdfast.connect(uri).close();
        } catch (IllegalArgumentException e) {
            throw wrong(e);
        }
    }

    private ParameterException wrong(IllegalArgumentException e) {
        return new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }

    private static void requireWritable(@Nullable Path file) {
        if (file == null) {
            return;
        }
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || !Files.isWritable(folder) || Files.isDirectory(file)) {
            throw new IllegalArgumentException("--json " + file + ": cannot be written");
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
