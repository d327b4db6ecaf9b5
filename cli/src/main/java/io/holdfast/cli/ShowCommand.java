package io.holdfast.cli;

import io.holdfast.LockReport;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code holdfast show}. */
@Command(
        name = "show",
        description = "Shows who holds a lock, and who waits for it.",
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:shown, also if it is free", "2:wrong arguments", "69:the store cannot be used"},
        footer = {"", "A name that begins with a dash goes behind --: holdfast show -- -name"})
final class ShowCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(paramLabel = "NAME", description = "The lock.")
    private String name = "";

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private StoreOption store;

    @Option(
            names = "--json",
            description = "As JSON; tokens are texts, since they are larger than many readers can take.")
    private boolean json;

    @Override
    public Integer call() {
        LockReport report = store.ask(client -> client.inspect(name));
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(Shown.json(Shown.asMap(report)));
        } else {
            Shown.details(report).forEach(out::println);
        }
        out.flush();
        return ExitCode.OK;
    }
}
