package io.holdfast.virtual;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two hundred virtual threads on one lock and on many: none is pinned to its carrier while it waits. */
class PinningTest {

    private static final int THREADS = 200;
    private static final int ROUNDS = 20;

    /** Parks in its initialiser, which pins on every JDK. */
    private static final class Pins {

        static final int VALUE = parked();

        private static int parked() {
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            return 1;
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    /**
     * The second time the work is done: the first loads and links classes, which threads wait for in the JVM itself. Code that
     * the first time did not reach may be left.
     */
    private static List<RecordedEvent> pinnedOnceLoaded(Work work) throws Exception {
        work.run();
        return pinnedDuring(work).stream().filter(PinningTest::isParked).toList();
    }

    /**
     * The architecture tests find no `synchronized` in Holdfast, and `Object.wait` needs one. So a pinned thread that does not
     * park waits for a class that another thread loads, links or initializes.
     */
    private static boolean isParked(RecordedEvent pinned) {
        return "LockSupport.park".equals(pinned.getString("blockingOperation")) && !isInitializing(pinned);
    }

    private static boolean isInitializing(RecordedEvent pinned) {
        return pinned.hasField("pinnedReason") && String.valueOf(pinned.getString("pinnedReason")).contains(".<clinit>");
    }

    private static List<RecordedEvent> pinnedDuring(Work work) throws Exception {
        List<RecordedEvent> pinned = new CopyOnWriteArrayList<>();
        try (RecordingStream stream = new RecordingStream()) {
            stream.enable("jdk.VirtualThreadPinned").withoutThreshold().withStackTrace();
            stream.onEvent("jdk.VirtualThreadPinned", pinned::add);
            stream.startAsync();
            work.run();
            stream.stop();
        }
        return pinned;
    }

    @Test
    void aPinnedThreadIsSeen() throws Exception {
        assertThat(pinnedDuring(() -> Thread.ofVirtual()
                        .start(() -> assertThat(Pins.VALUE).isEqualTo(1))
                        .join()))
                .isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory:", "embedded:redis"})
    void noThreadIsPinnedOnOneLock(String uri) throws Exception {
        int[] counter = {0};
        try (Holdfast holdfast = Holdfast.connect(uri)) {
            assertThat(pinnedOnceLoaded(() -> contend(i -> holdfast.lock("one"), counter)))
                    .isEmpty();
        }
        assertThat(counter[0]).isEqualTo(2 * THREADS * ROUNDS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory:", "embedded:redis"})
    void noThreadIsPinnedOnManyLocks(String uri) throws Exception {
        try (Holdfast holdfast = Holdfast.connect(uri)) {
            assertThat(pinnedOnceLoaded(() -> contend(i -> holdfast.lock("many-" + i % 50), new int[1])))
                    .isEmpty();
            assertThat(holdfast.stats().held()).isZero();
        }
    }

    @Test
    void noThreadIsPinnedByLeases() throws Exception {
        try (Holdfast holdfast = Holdfast.connect("embedded:redis")) {
            DistributedLock lock = holdfast.lock("lease");
            assertThat(pinnedOnceLoaded(() -> join(i -> () -> {
                        try (Lease lease = lock.acquire()) {
                            assertThat(lease.isValid()).isTrue();
                        }
                    })))
                    .isEmpty();
        }
    }

    private static void contend(IntFunction<DistributedLock> locks, int[] counter) throws Exception {
        join(i -> () -> {
            DistributedLock lock = locks.apply(i);
            for (int round = 0; round < ROUNDS; round++) {
                lock.lock();
                try {
                    counter[0]++;
                } finally {
                    lock.unlock();
                }
            }
        });
    }

    private static void join(IntFunction<Work> work) throws Exception {
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Work each = work.apply(i);
            threads.add(Thread.ofVirtual().start(() -> {
                try {
                    each.run();
                } catch (Throwable e) {
                    failures.add(e);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
    }
}
