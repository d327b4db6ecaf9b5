package io.holdfast.cli;

import io.holdfast.cli.exec.Exec;
import io.holdfast.cli.exec.ExecOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code holdfast exec}. */
@Command(
        name = "exec",
        sortOptions = false,
        headerHeading = "NAME%n    holdfast exec - ",
        header = "Runs a command while it holds a lock.",
        synopsisHeading = "%nSYNOPSIS%n    ",
        customSynopsis =
                "holdfast exec --lock NAME [--store URI] [--wait 10s] [--lease 30s] [--grace 10s] -- COMMAND ...",
        descriptionHeading = "%nDESCRIPTION%n",
        description = {
            "    Gets the lock NAME, runs COMMAND, and releases the lock when COMMAND has ended. Of",
            "    several that are started with one NAME, on one host or on many, one runs at a time.",
            "    COMMAND has the standard streams, the folder and the environment of its caller.",
            "",
            "    TERM, INT and HUP go to COMMAND and all its descendants, and the lock is released when",
            "    all of them have ended. While there is no lock yet they end the wait. One that was",
            "    ignored at the start (nohup) stays ignored.",
            "",
            "    COMMAND does not outlive its lock. The lock is renewed for as long as COMMAND runs. When",
            "    renewals fail, COMMAND and its descendants get TERM, and KILL after GRACE, a reserve",
            "    before the lock ends: a tenth of the lease, and at least 1s. When the lock is lost",
            "    earlier, they get KILL at once. This also holds when holdfast itself is killed (TERM at",
            "    once, then KILL in time) or stopped: a second process, the guard, sees to it.",
            ""
        },
        parameterListHeading = "OPTIONS%n",
        optionListHeading = "",
        exitCodeListHeading = "%nEXIT STATUS%n",
        exitCodeList = {
            "*:that of COMMAND, unless it is one of those below",
            "2:wrong arguments",
            "69:the store cannot be used, or not any more while waiting",
            "75:the lock was not got in time",
            "76:the lock was lost, or nearly, and COMMAND was ended for it",
            "126:COMMAND cannot be executed",
            "127:COMMAND was not found",
            "128+n:COMMAND, or the wait, was ended by signal n"
        },
        footerHeading = "%nENVIRONMENT%n",
        footer = {
            "    HOLDFAST_STORE    the store, where --store is not given; keeps a password out of the",
            "                      process list",
            "    HOLDFAST_TOKEN    given to COMMAND: its fencing token, higher than that of any run before",
            "    HOLDFAST_LOCK     given to COMMAND: the name of its lock",
            "",
            "EXAMPLES",
            "    A crontab that three hosts have; one of them does the backup, the others give up at",
            "    once:",
            "",
            "        HOLDFAST_STORE=redis://:secret@redis.example.com",
            "        0 3 * * *  holdfast exec --lock backup --wait 0s -- /usr/local/bin/backup --all",
            "",
            "    A deployment that waits for its turn, and has a minute to clean up when the store is",
            "    lost:",
            "",
            "        holdfast exec --lock deploy --wait 15m --lease 3m --grace 1m -- ./deploy.sh",
            "",
            "NOTES",
            "    If renewals succeed again after the TERM, COMMAND may run to its end, and its exit code",
            "    counts.",
            "",
            "    A process that has left the family of COMMAND, a daemon whose parent has ended, cannot",
            "    be followed: it gets no signal, and the lock is released without it.",
            "",
            "    A Ctrl-C at a terminal reaches COMMAND without holdfast, and is not passed on a second",
            "    time.",
            "",
            "    COMMAND may end with 75, 76 or the like, too. What holdfast says is on standard error,",
            "    on lines that begin with 'holdfast exec:'.",
            "",
            "    A COMMAND that is itself a holdfast exec gets each signal once, and passes it on.",
            "",
            "    The guard says how long before the end of the lock COMMAND was gone. It is late when the",
            "    host stalls or is suspended for longer than the reserve, and a process that the kernel",
            "    keeps in a system call dies only after it. What must not happen twice has to check the",
            "    token."
        })
final class ExecCommand implements Callable<Integer> {

    private static final int GRACE_SHARE = 3;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(names = "--lock", paramLabel = "NAME", required = true, description = "The name of the lock.")
    private String lock = "";

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private StoreOption store;

    @Option(
            names = "--wait",
            paramLabel = "TIME",
            defaultValue = "10s",
            converter = DurationConverter.class,
            description = "How long to wait for the lock; 0s tries once. Default: ${DEFAULT-VALUE}.")
    private Duration wait = Duration.ZERO;

    @Option(
            names = "--lease",
            paramLabel = "TIME",
            defaultValue = "30s",
            converter = DurationConverter.class,
            description = "How long the lock lasts without a renewal, and so after the death of this host; at least 3s."
                    + " Default: ${DEFAULT-VALUE}.")
    private Duration lease = Duration.ZERO;

    @Option(
            names = "--grace",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "From TERM to KILL when renewals fail; less than the lease. Default: a third of it.")
    private @Nullable Duration grace;

    @Parameters(paramLabel = "COMMAND", arity = "1..*", description = "What to run, with its arguments.")
    private List<String> command = List.of();

    @Override
    public Integer call() throws IOException, InterruptedException {
        StderrOfLibraries.silence();
        try {
            return new Exec(options(), this::say).run();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private ExecOptions options() {
        Duration given = grace == null ? lease.dividedBy(GRACE_SHARE) : grace;
        return new ExecOptions(lock, store.uri(), wait, lease, given, command);
    }

    private void say(String text) {
        Main.say(spec.commandLine(), text);
    }
}
