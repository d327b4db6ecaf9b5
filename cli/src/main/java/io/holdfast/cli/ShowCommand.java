package io.holdfast.cli;

import io.holdfast.LockReport;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code holdfast show}. */
@Command(
        name = "show",
        description = "Shows who holds a lock, and who waits for it.",
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:shown, also if it is free", "2:wrong arguments", "69:the store cannot be used"},
        footer = {"", "A name that begins with a dash goes behind --: holdfast show -- -name"})
final class ShowCommand implements Callable<Integer> {

    @Parameters(paramLabel = "NAME", description = "The lock.")
    private String name = "";

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private StoreOption store;

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private JsonOption output;

    @Override
    public Integer call() {
        LockReport report = store.ask(client -> client.inspect(name));
        output.print(Shown.asMap(report), Shown.details(report));
        return ExitCode.OK;
    }
}
