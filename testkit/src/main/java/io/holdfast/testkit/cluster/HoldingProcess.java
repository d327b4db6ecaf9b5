package io.holdfast.testkit.cluster;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.LeaseLostException;
import io.holdfast.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A process that holds a lock until it is killed, or until the process that has started it ends. */
public final class HoldingProcess {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long PAUSE_NANOS = 20_000_000;

    private HoldingProcess() {}

    /** Starts a process that acquires a lock. */
    public static Process start(String uri, String name) throws IOException {
        return started(uri, name);
    }

    /** Starts a process that runs nothing under a lock, once, and keeps the lock for the given time. */
    public static Process start(String uri, String name, Duration minHold) throws IOException {
        return started(uri, name, minHold.toString());
    }

    /** Kills a process when it has said that it holds its lock. The process is killed in any case. */
    public static void killWhenHeld(Process process) {
        try {
            Await.until("it holds its lock", () -> hasSpoken(process));
        } finally {
            process.destroyForcibly();
        }
    }

    private static boolean hasSpoken(Process process) {
        try {
            if (!process.isAlive()) {
                throw new AssertionError("it ended before it held its lock");
            }
            return process.getInputStream().available() > 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Process started(String... arguments) throws IOException {
        return new ProcessBuilder(JavaCommand.of(HoldingProcess.class, arguments))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Acquires a lock, says so, and waits until the standard input ends: {@code URI NAME [MIN-HOLD]}. */
    public static void main(String[] args) throws IOException {
        DistributedLock lock =
                Holdfast.builder().uri(args[0]).connectTimeout(PATIENCE).build().lock(args[1]);
        while (!acquires(lock, args)) {
            // the first answers to a new process on a busy machine may come after the end of the lease
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        System.out.println("held");
        int end = System.in.read();
        Runtime.getRuntime().halt(end);
    }

    private static boolean acquires(DistributedLock lock, String... args) {
        try {
            if (args.length > 2) {
                return lock.runOnce(Duration.parse(args[2]), () -> {});
            }
            lock.lock();
            return true;
        } catch (HoldfastException | LeaseLostException e) {
            return false;
        }
    }
}
