package io.holdfast.benchmarks.jmh;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of the engine without a server: {@code ./holdfast bench --inside}.
 *
 * <p>A lock of the JDK is measured as the lower bound.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class InsideBenchmark {

    private static final int MANY = 8;

    /** One client, and one lock for which all threads contend. */
    @State(Scope.Benchmark)
    public static class Shared {

        final Holdfast client = Holdfast.connect("memory:");
        final Lock lock = client.lock("shared");
        final Lock jdk = new ReentrantLock();

        /** Closes the client. */
        @TearDown
        public void close() {
            client.close();
        }
    }

    /** A lock that the thread holds, and one that it does not. */
    @State(Scope.Thread)
    public static class Own {

        private final Holdfast client = Holdfast.connect("memory:");
        final DistributedLock held = client.lock("held");
        final DistributedLock free = client.lock("free");

        /** Acquires the held lock. */
        @Setup
        public void lock() {
            held.lock();
        }

        /** Releases it. */
        @TearDown
        public void unlock() {
            held.unlock();
            client.close();
        }
    }

    /** Enters a held lock again, and leaves it. */
    @Benchmark
    public void reenter(Own own) {
        pair(own.held);
    }

    /** Acquires a free lock from the store, and releases it. */
    @Benchmark
    public void acquireAndRelease(Own own) {
        pair(own.free);
    }

    /** Checks the validity of a hold, as before each write. */
    @Benchmark
    public boolean isValid(Own own) {
        return own.held.isValid();
    }

    /** Contends for one lock with many threads of one process. */
    @Benchmark
    @Threads(MANY)
    public void contended(Shared shared) {
        pair(shared.lock);
    }

    /** Contends for a lock of the JDK in the same way. */
    @Benchmark
    @Threads(MANY)
    public void contendedJdk(Shared shared) {
        pair(shared.jdk);
    }

    private static void pair(Lock lock) {
        lock.lock();
        try {
            Thread.onSpinWait();
        } finally {
            lock.unlock();
        }
    }
}
