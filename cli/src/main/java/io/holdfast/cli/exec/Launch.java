package io.holdfast.cli.exec;

import io.holdfast.Lease;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A start of the command, with the lock's data in its environment, and with the standard streams of this process. */
record Launch(List<String> command, Lease lease, String mark) {

    Launch(List<String> command, Lease lease) {
        this(command, lease, UUID.randomUUID().toString());
    }

    Process start() throws NotStarted {
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().put("HOLDFAST_LOCK", lease.name());
        builder.environment().put("HOLDFAST_TOKEN", Long.toString(lease.fencingToken()));
        builder.environment().put(Guard.MARK, mark);
        restoreLocale(builder.environment());
        try {
            return builder.start();
        } catch (IOException e) {
            throw notStarted(e);
        }
    }

    /** Restores the locale of the caller, in place of the one that the launcher needs. */
    private static void restoreLocale(Map<String, String> environment) {
        String callers = environment.remove("HOLDFAST_CALLER_LC_ALL");
        if (callers != null) {
            environment.remove("LC_ALL");
            // the equals sign distinguishes an empty one from none
            callers.lines().findFirst().ifPresent(value -> environment.put("LC_ALL", value.substring(1)));
        }
    }

    private NotStarted notStarted(IOException e) {
        return exists(command.get(0))
                ? new NotStarted(
                        ExitStatus.NOT_EXECUTABLE, command.get(0) + ": cannot be executed: " + e.getMessage(), e)
                : new NotStarted(ExitStatus.NOT_FOUND, command.get(0) + ": no such command; see PATH", e);
    }

    /** Checks for the command, because the error text for a missing one differs between Java versions. */
    private static boolean exists(String name) {
        if (name.contains("/")) {
            return Files.exists(Path.of(name));
        }
        String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
        return Arrays.stream(path.split(":", -1)).anyMatch(folder -> Files.exists(Path.of(folder, name)));
    }

    /** The command was not started, so there is nothing to guard. */
    static final class NotStarted extends Exception {

        private static final long serialVersionUID = 1L;

        final int exitCode;

        private NotStarted(int exitCode, String message, @Nullable IOException cause) {
            super(message, cause);
            this.exitCode = exitCode;
        }

        static NotStarted unguarded() {
            return new NotStarted(
                    ExitStatus.NOT_EXECUTABLE,
                    "the command cannot be guarded: its guard was killed before it began",
                    null);
        }
    }
}
