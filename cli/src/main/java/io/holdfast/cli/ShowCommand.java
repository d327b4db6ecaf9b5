package io.holdfast.cli;

import io.holdfast.Holdfast;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The command {@code holdfast show}. */
@Command(
        name = "show",
        description = "Shows the lock, the semaphore and the latch of a name: who holds it, and who waits for it.",
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:shown, even if it is free", "2:wrong arguments", "69:the store cannot be used"},
        footer = {"", "A name that begins with a dash goes after --: holdfast show -- -name"})
final class ShowCommand implements Callable<Integer> {

    @Parameters(paramLabel = "NAME", description = "The name of the lock, semaphore or latch.")
    private String name = "";

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private StoreOption store;

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private JsonOption output;

    @Override
    public Integer call() {
        List<Shown> found = store.ask(this::all);
        output.print(found.stream().map(Shown::asMap).toList(), lines(found));
        return ExitCode.OK;
    }

    /** Returns everything of this name. A lock that is free is shown only if there is no semaphore or latch of the name. */
    private List<Shown> all(Holdfast client) {
        List<Shown> all = new ArrayList<>();
        client.inspectSemaphore(name).ifPresent(semaphore -> all.add(new ShownSemaphore(semaphore)));
        client.inspectLatch(name).ifPresent(latch -> all.add(new ShownLatch(latch)));
        ShownLock lock = new ShownLock(client.inspect(name));
        if (all.isEmpty() || lock.isInUse()) {
            all.add(0, lock);
        }
        return all;
    }

    private static List<String> lines(List<Shown> found) {
        List<String> lines = new ArrayList<>();
        for (Shown each : found) {
            if (!lines.isEmpty()) {
                lines.add("");
            }
            lines.addAll(each.details());
        }
        return lines;
    }
}
