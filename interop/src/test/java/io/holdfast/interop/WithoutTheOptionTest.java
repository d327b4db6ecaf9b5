package io.holdfast.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** A client that does not know of Redisson excludes it all the same; but they do not wake each other. */
class WithoutTheOptionTest extends SideBySide {

    private final Holdfast plain =
            Holdfast.builder().uri(server.uri()).lease(Duration.ofSeconds(5)).build();

    @AfterAll
    void closePlain() {
        plain.close();
    }

    @Test
    void bothKeepTheOtherOff() {
        String name = name();
        DistributedLock mine = plain.lock(name);
        mine.lock();
        assertThat(isFree(lock(Kind.REDISSON, name))).isFalse();
        mine.unlock();
        lock(Kind.REDISSON, name).lock();
        assertThat(isFree(mine)).isFalse();
        lock(Kind.REDISSON, name).unlock();
        assertThat(isFree(mine)).isTrue();
    }

    @Test
    void aWaiterOfRedissonIsServedWhenTheLeaseItSawHasEnded() {
        String name = name();
        DistributedLock mine = plain.lock(name);
        mine.lock();
        Waiter waiter = new Waiter(lock(Kind.REDISSON, name)).asleep();
        long released = System.nanoTime();
        mine.unlock();
        assertThat(Duration.ofNanos(waiter.gotAt() - released)).isLessThan(SOON);
        waiter.release();
    }

    @Test
    void aWaiterOfHoldfastAsksOnceASecond() {
        String name = name();
        lock(Kind.REDISSON, name).lock();
        Waiter waiter = new Waiter(plain.lock(name)).asleep();
        assertThat(channels(name)).isEmpty();
        long released = System.nanoTime();
        lock(Kind.REDISSON, name).unlock();
        assertThat(Duration.ofNanos(waiter.gotAt() - released)).isLessThan(SOON);
        waiter.release();
    }
}
