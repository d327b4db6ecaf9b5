package io.holdfast.testkit.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/** Signals to processes of this host. */
public final class Signals {

    private static final long SECONDS = 10;

    private Signals() {}

    /** Stops a process, which keeps its connections. */
    public static void stop(long pid) {
        send("STOP", pid);
    }

    /** Ends {@link #stop}. */
    public static void resume(long pid) {
        send("CONT", pid);
    }

    /** Kills a process. */
    public static void kill(long pid) {
        send("KILL", pid);
    }

    private static void send(String signal, long pid) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
                    .inheritIO()
                    .start();
            if (!kill.waitFor(SECONDS, TimeUnit.SECONDS) || kill.exitValue() != 0) {
                throw new AssertionError("kill -" + signal + " " + pid + " failed");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
