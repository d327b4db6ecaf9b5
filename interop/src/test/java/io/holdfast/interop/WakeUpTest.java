package io.holdfast.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A release wakes the other kind, which would ask again only after a second, or when a lease of 30 s has ended. */
class WakeUpTest extends SideBySide {

    private static final int HANDOVERS = 20;

    @ParameterizedTest
    @EnumSource
    void aReleaseWakesTheOther(Kind kind) {
        String name = name();
        Lock mine = lock(kind, name);
        Lock theirs = told(kind.other()).lock(name);
        List<Duration> times = new ArrayList<>();
        for (int i = 0; i < HANDOVERS; i++) {
            mine.lock();
            Waiter waiter = new Waiter(theirs).asleep();
            // a client of Holdfast that does not listen would poll each second
            Await.until("it listens", () -> !channels(name).isEmpty());
            long released = System.nanoTime();
            mine.unlock();
            Duration time = Duration.ofNanos(waiter.gotAt() - released);
            waiter.release();
            assertThat(time).as("nobody woke it").isLessThan(Duration.ofSeconds(10));
            times.add(time);
        }
        Collections.sort(times);
        Duration median = times.get(HANDOVERS / 2);
        System.out.printf(
                "from a release by %s until the other runs: p50 %d us, longest %d us%n",
                kind, median.toNanos() / 1_000, times.get(HANDOVERS - 1).toNanos() / 1_000);
        assertThat(median).isLessThan(SOON);
    }

    /** The line of Holdfast's fair lock is woken by Redisson's plain one. */
    @Test
    void aReleaseWakesAFairWaiterOfHoldfast() {
        String name = name();
        Lock mine = lock(Kind.REDISSON, name);
        mine.lock();
        Waiter waiter = new Waiter(told(Kind.HOLDFAST).fairLock(name)).asleep();
        Await.until("it listens", () -> !channels(name).isEmpty());
        long released = System.nanoTime();
        mine.unlock();
        assertThat(Duration.ofNanos(waiter.gotAt() - released)).isLessThan(SOON);
        waiter.release();
    }

    /** Two busy clients would hand the lock to each other for ever. */
    @ParameterizedTest
    @EnumSource
    void busyClientsOfOneKindLetTheOtherIn(Kind busy) {
        String name = name();
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger busyHolds = new AtomicInteger();
        List<CompletableFuture<Void>> work = new ArrayList<>();
        try (Kind.Client second = busy.connect(server.uri(), LEASE)) {
            for (Lock lock : List.of(lock(busy, name), second.lock(name))) {
                for (int i = 0; i < 2; i++) {
                    work.add(start(() -> {
                        while (!stop.get()) {
                            holdBriefly(lock);
                            busyHolds.incrementAndGet();
                        }
                    }));
                }
            }
            Await.until("they are at work", () -> busyHolds.get() > 20);
            Lock lock = told(busy.other()).lock(name);
            long longest = 0;
            for (int i = 0; i < HANDOVERS; i++) {
                long asked = System.nanoTime();
                Waiter waiter = new Waiter(lock);
                longest = Math.max(longest, waiter.gotAt() - asked);
                waiter.release();
            }
            System.out.printf("beside two busy clients of %s: longest wait %d ms%n", busy, longest / 1_000_000);
            assertThat(Duration.ofNanos(longest)).isLessThan(SOON);
            stop.set(true);
            work.forEach(Await::reply);
        } finally {
            stop.set(true);
        }
    }

    private static void holdBriefly(Lock lock) {
        lock.lock();
        try {
            LockSupport.parkNanos(200_000);
        } finally {
            lock.unlock();
        }
    }
}
