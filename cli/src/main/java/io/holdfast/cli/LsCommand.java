package io.holdfast.cli;

import io.holdfast.Holdfast;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The command {@code holdfast ls}. */
@Command(
        name = "ls",
        description = "Lists locks that are held or waited for, semaphores, and latches.",
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:listed, even if there are none", "2:wrong arguments", "69:the store cannot be used"},
        footer = {"", "This command may scan all keys of the store. LEASE is the time left unless the lease is renewed."
        })
final class LsCommand implements Callable<Integer> {

    @Parameters(paramLabel = "PREFIX", arity = "0..1", description = "Lists only names that begin with it.")
    private String prefix = "";

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private StoreOption store;

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private JsonOption output;

    @Override
    public Integer call() {
        List<Shown> found = store.ask(this::all).stream()
                .sorted(Comparator.comparing(Shown::name))
                .toList();
        output.print(found.stream().map(Shown::asMap).toList(), Table.of(found));
        return ExitCode.OK;
    }

    private List<Shown> all(Holdfast client) {
        List<Shown> all = new ArrayList<>();
        client.list(prefix).forEach(lock -> all.add(new ShownLock(lock)));
        client.listSemaphores(prefix).forEach(semaphore -> all.add(new ShownSemaphore(semaphore)));
        client.listLatches(prefix).forEach(latch -> all.add(new ShownLatch(latch)));
        return all;
    }
}
