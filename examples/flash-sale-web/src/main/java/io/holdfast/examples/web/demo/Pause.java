package io.holdfast.examples.web.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A process that is stopped by SIGSTOP until {@link #end}. A shell sends the signals. It also lets the process continue
 * when this JVM dies, because a stopped process would never notice that.
 */
final class Pause {

    private static final Duration LIMIT = Duration.ofSeconds(5);

    private static final String SCRIPT = """
            trap '' HUP INT PIPE QUIT TERM
            kill -STOP "$1" && echo stopped
            read -r end
            kill -CONT "$1"
            """;

    private final Process shell;

    private Pause(Process shell) {
        this.shell = shell;
    }

    /** Stops the process, and returns when the signal was sent. */
    static Pause of(long pid) throws IOException {
        Process shell = new ProcessBuilder("sh", "-c", SCRIPT, "sh", Long.toString(pid))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Pause pause = new Pause(shell);
        BufferedReader out = shell.inputReader();
        if (out.readLine() == null) {
            throw new IOException("process " + pid + " cannot be stopped");
        }
        return pause;
    }

    /** Lets the process continue. */
    void end() throws IOException, InterruptedException {
        shell.outputWriter().close();
        if (!shell.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
            shell.destroyForcibly();
            throw new IOException("process " + shell.pid() + " did not end within " + LIMIT);
        }
    }
}
