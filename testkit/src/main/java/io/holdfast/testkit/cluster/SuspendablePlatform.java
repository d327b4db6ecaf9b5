package io.holdfast.testkit.cluster;

import io.holdfast.spi.Platform;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The platform of a machine that can be suspended, as a process with a file: {@code nanoTime} stands still for the time that the
 * file states, and so do the timers. The wall clock goes on.
 */
public final class SuspendablePlatform implements Platform {

    private final Platform real = Platform.system();
    private final LongBuffer suspended;

    SuspendablePlatform(Path file) {
        suspended = map(file);
    }

    /** Maps a file that has the nanoseconds for which the machine was suspended. */
    static LongBuffer map(Path file) {
        try {
            if (Files.size(file) == 0) {
                Files.write(file, new byte[Long.BYTES]);
            }
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                return channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES)
                        .asLongBuffer();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the nanoseconds for which the machine was suspended. */
    public long suspendedNanos() {
        return suspended.get(0);
    }

    @Override
    public long nanoTime() {
        return real.nanoTime() - suspendedNanos();
    }

    @Override
    public long wallMillis() {
        return real.wallMillis();
    }

    @Override
    public long randomLong() {
        return real.randomLong();
    }

    @Override
    public void park(Object blocker, long nanos) {
        real.park(blocker, nanos);
    }

    @Override
    public void unpark(Thread thread) {
        real.unpark(thread);
    }

    @Override
    public Timer timer(String threadName) {
        Timer timer = real.timer(threadName);
        return new Timer() {

            @Override
            public Task schedule(long delayNanos, Runnable task) {
                Suspendable suspendable = new Suspendable(timer, nanoTime() + delayNanos, task);
                suspendable.schedule(delayNanos);
                return suspendable;
            }

            @Override
            public void close() {
                timer.close();
            }
        };
    }

    @Override
    public Worker worker(String threadName, int threads) {
        return real.worker(threadName, threads);
    }

    /** A task that waits for the rest of its time again if the machine was suspended meanwhile. */
    private final class Suspendable implements Task {

        private final Timer timer;
        private final long due;
        private final Runnable task;
        private volatile Task scheduled = () -> {};
        private volatile boolean canceled;

        Suspendable(Timer timer, long due, Runnable task) {
            this.timer = timer;
            this.due = due;
            this.task = task;
        }

        private void schedule(long delay) {
            scheduled = timer.schedule(delay, this::runIfDue);
            if (canceled) {
                scheduled.cancel();
            }
        }

        private void runIfDue() {
            long left = due - nanoTime();
            if (left > 0) {
                schedule(left);
            } else if (!canceled) {
                task.run();
            }
        }

        @Override
        public void cancel() {
            canceled = true;
            scheduled.cancel();
        }
    }
}
