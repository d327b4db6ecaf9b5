package io.holdfast.cli.exec;

import io.holdfast.Lease;
import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Starts the command with what it is to know of its lock, and with the standard streams of this process. */
record Launch(List<String> command, Lease lease) {

    private static final Pattern ERRNO = Pattern.compile("error=(\\d+)");
    private static final String ENOENT = "2";

    Process start() throws NotStarted {
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().put("HOLDFAST_LOCK", lease.lockName());
        builder.environment().put("HOLDFAST_TOKEN", Long.toString(lease.token()));
        try {
            return builder.start();
        } catch (IOException e) {
            throw notStarted(e);
        }
    }

    private NotStarted notStarted(IOException e) {
        Matcher errno = ERRNO.matcher(e.getMessage() + "");
        return errno.find() && errno.group(1).equals(ENOENT)
                ? new NotStarted(ExitStatus.NOT_FOUND, command.get(0) + ": no such command; see PATH", e)
                : new NotStarted(
                        ExitStatus.NOT_EXECUTABLE, command.get(0) + ": cannot be executed: " + e.getMessage(), e);
    }

    /** There is no command to look after. */
    static final class NotStarted extends Exception {

        private static final long serialVersionUID = 1L;

        final int exitCode;

        private NotStarted(int exitCode, String message, IOException cause) {
            super(message, cause);
            this.exitCode = exitCode;
        }
    }
}
