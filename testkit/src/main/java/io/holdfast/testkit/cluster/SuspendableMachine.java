package io.holdfast.testkit.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The machine of a process that can be suspended. The process gets the {@linkplain #file file} and builds its client with {@link
 * #platform}. Its {@code nanoTime} stands still meanwhile, and its wall clock goes on.
 */
public final class SuspendableMachine implements AutoCloseable {

    private final Path file;
    private final LongBuffer suspended;
    private long suspendedAt;

    /** Creates a machine that was not suspended so far. */
    public SuspendableMachine() {
        try {
            file = Files.createTempFile("holdfast-suspended", "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        suspended = SuspendablePlatform.map(file);
    }

    /** Returns the file that has the time for which the machine was suspended. */
    public Path file() {
        return file;
    }

    /** Returns the platform of a process on the machine whose file this is. */
    public static SuspendablePlatform platform(Path file) {
        return new SuspendablePlatform(file);
    }

    /** Suspends the machine of a process. */
    public void suspend(long pid) {
        Signals.stop(pid);
        suspendedAt = System.nanoTime();
    }

    /** Ends {@link #suspend}. */
    public void resume(long pid) {
        suspended.put(0, suspended.get(0) + System.nanoTime() - suspendedAt);
        Signals.resume(pid);
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
