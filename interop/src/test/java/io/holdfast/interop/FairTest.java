package io.holdfast.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The fair locks of both exclude each other. The order over both is not kept. */
class FairTest extends SideBySide {

    @ParameterizedTest
    @EnumSource
    void whoHasItKeepsTheOtherOff(Kind kind) {
        String name = name();
        Lock mine = client(kind).fairLock(name);
        Lock theirs = client(kind.other()).fairLock(name);
        mine.lock();
        assertThat(isFree(theirs)).isFalse();
        Waiter waiter = new Waiter(theirs).asleep();
        long released = System.nanoTime();
        mine.unlock();
        // a fair lock of Redisson's tells only those in its own line; the other asks once a second
        assertThat(Duration.ofNanos(waiter.gotAt() - released)).isLessThan(SOON);
        assertThat(isFree(mine)).isFalse();
        waiter.release();
    }

    @ParameterizedTest
    @EnumSource
    void theLineOfOneLetsTheOtherIn(Kind kind) {
        String name = name();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<CompletableFuture<Void>> work = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            work.add(start(() -> hold(client(kind).fairLock(name), 20, inside, most)));
        }
        work.add(start(() -> hold(client(kind.other()).fairLock(name), 3, inside, most)));
        work.forEach(Await::reply);
        assertThat(most).hasValue(1);
    }

    private static void hold(Lock lock, int times, AtomicInteger inside, AtomicInteger most) {
        for (int i = 0; i < times; i++) {
            lock.lock();
            try {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                LockSupport.parkNanos(100_000);
                inside.decrementAndGet();
            } finally {
                lock.unlock();
            }
        }
    }
}
