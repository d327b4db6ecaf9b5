package io.holdfast.cli;

import static io.holdfast.spi.Names.printable;
import static io.holdfast.spi.Names.quoted;

import io.holdfast.Holdfast;
import io.holdfast.LockReport.Holder;
import java.io.Console;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code holdfast release}. */
@Command(
        name = "release",
        description = "Releases a lock that another client holds, after asking.",
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the lock was held, and is released",
            "1:nobody held it, the answer was no, or another client acquired it in the meantime; nothing was done",
            "2:wrong arguments, or no terminal for the confirmation (give --yes)",
            "69:the store cannot be used"
        },
        footer = {
            "",
            "The holder is notified, and may act for a moment longer; only its lower fencing token protects the resource.",
            "A name that begins with a dash goes after --: holdfast release -- -name"
        })
final class ReleaseCommand implements Callable<Integer> {

    private final Function<String, Optional<String>> terminal;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(paramLabel = "NAME", description = "The lock.")
    private String name = "";

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private StoreOption store;

    @Option(names = "--yes", description = "Releases without asking for confirmation.")
    private boolean yes;

    /**
     * Creates the command.
     *
     * @param terminal asks the user; its answer is empty if there is no terminal
     */
    ReleaseCommand(Function<String, Optional<String>> terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        return store.ask(this::release);
    }

    private int release(Holdfast client) {
        Optional<Holder> holder = client.inspect(name).holder();
        if (holder.isEmpty()) {
            return say(ExitCode.FAILED, "is free; nothing was done");
        }
        String shown = holder.get().toString();
        if (!yes && !agreed(shown)) {
            return say(ExitCode.FAILED, "is still held by " + shown);
        }
        Optional<Holder> now = client.inspect(name).holder();
        if (now.isPresent() && !isThatOf(holder.get(), now.get())) {
            return say(
                    ExitCode.FAILED,
                    "is now held by another owner, or its client does not answer any more, and nothing was done: "
                            + now.get());
        }
        boolean released = now.isPresent() && client.lock(name).forceUnlock();
        return released
                ? say(ExitCode.OK, "is released; it was held by " + shown)
                : say(ExitCode.FAILED, "became free in the meantime; it was held by " + shown);
    }

    /**
     * Returns {@code true} if the hold is the one that was shown. One that was shown without a token, because its client did not
     * answer, is the same whichever owner of the client has it now.
     */
    static boolean isThatOf(Holder shown, Holder now) {
        boolean sameOwner =
                shown.fencingToken().isEmpty() || shown.fencingToken().equals(now.fencingToken());
        return now.hold().equals(shown.hold()) && sameOwner;
    }

    private boolean agreed(String holder) {
        String question = printable("Lock " + quoted(name) + " is held by " + holder + ".") + " Release it? [y/N] ";
        String answer = terminal.apply(question)
                .orElseThrow(() -> new ParameterException(
                        spec.commandLine(),
                        "lock " + quoted(name) + " is held by " + holder
                                + ", and there is no terminal for the confirmation: give --yes"));
        return answer.strip().toLowerCase(Locale.ROOT).matches("y|yes");
    }

    private int say(int exitCode, String text) {
        spec.commandLine().getOut().println(printable("lock " + quoted(name) + " " + text));
        spec.commandLine().getOut().flush();
        return exitCode;
    }

    /** Asks the user at the terminal of this process. */
    @SuppressWarnings("SystemConsoleNull")
    static Optional<String> ask(String question) {
        // without this, newer JDKs return a console even if there is no terminal
        System.setProperty("jdk.console", "java.base");
        Console console = System.console();
        return console == null
                ? Optional.empty()
                : Optional.of(
                        Optional.ofNullable(console.readLine("%s", question)).orElse(""));
    }
}
