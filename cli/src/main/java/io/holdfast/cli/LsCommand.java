package io.holdfast.cli;

import io.holdfast.LockReport;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code holdfast ls}. */
@Command(
        name = "ls",
        description = "Lists the locks that are held or waited for.",
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:listed, also if there are none", "2:wrong arguments", "69:the store cannot be used"},
        footer = {"", "It may walk over all keys of the store. LEASE is what is left if nobody renews it."})
final class LsCommand implements Callable<Integer> {

    @Parameters(paramLabel = "PREFIX", arity = "0..1", description = "Only locks whose names begin with it.")
    private String prefix = "";

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private StoreOption store;

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private JsonOption output;

    @Override
    public Integer call() {
        List<LockReport> found = store.ask(client -> client.list(prefix)).stream()
                .sorted(Comparator.comparing(LockReport::name))
                .toList();
        output.print(found.stream().map(Shown::asMap).toList(), Shown.table(found));
        return ExitCode.OK;
    }
}
