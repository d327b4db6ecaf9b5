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
 * What the engine costs, with the store in memory: {@code ./holdfast bench --inside}.
 *
 * <p>A lock of the JDK is measured beside it, as what is there at least.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class InsideBenchmark {

    private static final int MANY = 8;

    /** One client, and one lock that all threads want. */
    @State(Scope.Benchmark)
    public static class Shared {

        final Holdfast client = Holdfast.connect("memory:");
        final Lock lock = client.lock("shared");
        final Lock jdk = new ReentrantLock();

        /** Ends the client. */
        @TearDown
        public void close() {
            client.close();
        }
    }

    /** A lock that the thread has, and one that it has not. */
    @State(Scope.Thread)
    public static class Own {

        private final Holdfast client = Holdfast.connect("memory:");
        final DistributedLock held = client.lock("held");
        final DistributedLock free = client.lock("free");

        /** Gets what is held. */
        @Setup
        public void lock() {
            held.lock();
        }

        /** Gives it back. */
        @TearDown
        public void unlock() {
            held.unlock();
            client.close();
        }
    }

    /** Enters a lock that the thread has, and leaves it. */
    @Benchmark
    public void reenter(Own own) {
        pair(own.held);
    }

    /** Gets a free lock from the store, and gives it back. */
    @Benchmark
    public void acquireAndRelease(Own own) {
        pair(own.free);
    }

    /** Asks whether the hold is valid, as before each write. */
    @Benchmark
    public boolean isValid(Own own) {
        return own.held.isValid();
    }

    /** Many threads of one process want one lock. */
    @Benchmark
    @Threads(MANY)
    public void contended(Shared shared) {
        pair(shared.lock);
    }

    /** The same with a lock of the JDK. */
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
