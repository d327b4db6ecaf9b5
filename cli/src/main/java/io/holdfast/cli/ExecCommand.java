package io.holdfast.cli;

import io.holdfast.cli.exec.Exec;
import io.holdfast.cli.exec.ExecOptions;
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
            "    Acquires the lock NAME, runs COMMAND, and releases the lock when COMMAND has ended. Of",
            "    several commands that are started with one NAME, on one host or on many, one runs at a",
            "    time. COMMAND inherits the standard streams, the folder and the environment.",
            "",
            "    TERM, INT and HUP go to COMMAND and all its descendants. A process that is started after",
            "    that, for example by a trap, gets none. The lock is released when all of them have ended.",
            "    Before the lock is acquired, these signals end the wait. A signal that was ignored at the",
            "    start (nohup) stays ignored.",
            "",
            "    COMMAND does not outlive its lock. The lock is renewed for as long as COMMAND runs. When",
            "    renewals fail, COMMAND and its descendants receive TERM, and GRACE later KILL. The KILL",
            "    is sent before the lock expires, by a reserve of a tenth of the lease, at least 1s. When",
            "    the lock is lost earlier, they receive KILL at once. A second process, the guard, ensures",
            "    this even when holdfast itself is killed (TERM at once, then KILL in time) or stopped.",
            ""
        },
        parameterListHeading = "OPTIONS%n",
        optionListHeading = "",
        exitCodeListHeading = "%nEXIT STATUS%n",
        exitCodeList = {
            "*:the exit status of COMMAND, unless it is one of those below",
            "2:wrong arguments",
            "69:the store cannot be used, or became unavailable during the wait",
            "75:the lock was not acquired in time",
            "76:the lock was lost, or was about to be, and COMMAND was ended because of it",
            "126:COMMAND cannot be executed, or cannot be guarded",
            "127:COMMAND was not found",
            "128+n:COMMAND, or the wait, was ended by signal n"
        },
        footerHeading = "%nENVIRONMENT%n",
        footer = {
            "    HOLDFAST_STORE    the store, if --store is not given; keeps a password out of the",
            "                      process list",
            "    HOLDFAST_TOKEN    given to COMMAND: its fencing token, higher than in any earlier run",
            "    HOLDFAST_LOCK     given to COMMAND: the name of its lock",
            "",
            "EXAMPLES",
            "    A crontab that three hosts share. One of them runs the backup; the others exit at once",
            "    with status 75:",
            "",
            "        HOLDFAST_STORE=redis://:secret@redis.example.com",
            "        0 3 * * *  holdfast exec --lock backup --wait 0s -- /usr/local/bin/backup --all",
            "",
            "    A deployment that waits for its turn, and has a minute to clean up when the store is",
            "    unavailable:",
            "",
            "        holdfast exec --lock deploy --wait 15m --lease 3m --grace 1m -- ./deploy.sh",
            "",
            "NOTES",
            "    If renewals succeed again after the TERM, COMMAND may run to its end, and its exit",
            "    status counts.",
            "",
            "    A process that is no longer a descendant of COMMAND, such as a daemon whose parent has",
            "    ended, cannot be followed: it receives no signal, and the lock is released without it.",
            "",
            "    A Ctrl-C at a terminal reaches COMMAND without holdfast, and is not passed on a second",
            "    time.",
            "",
            "    COMMAND itself may exit with one of these statuses. Messages of holdfast are on standard",
            "    error, on lines that begin with 'holdfast exec:'.",
            "",
            "    A COMMAND that is itself a holdfast exec receives each signal once, and passes it on.",
            "",
            "    After a KILL, the guard reports on standard error how long before the end of the lock",
            "    COMMAND was stopped and gone. It can be late when the host stalls or is suspended for",
            "    longer than the reserve, and a process that the kernel keeps in a system call dies only",
            "    after that call. Work that must not happen twice has to check the token."
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
            description = "How long the lock lasts without a renewal, and thus after a crash of this host; at least 3s."
                    + " Default: ${DEFAULT-VALUE}.")
    private Duration lease = Duration.ZERO;

    @Option(
            names = "--grace",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "Time from TERM to KILL when renewals fail; less than the lease. Default: a third of it.")
    private @Nullable Duration grace;

    @Parameters(paramLabel = "COMMAND", arity = "1..*", description = "The command to run, with its arguments.")
    private List<String> command = List.of();

    @Override
    public Integer call() throws InterruptedException {
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
