package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.testkit.SimThread;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A lock that its holder may not lock again. */
class ReentrantTest extends VirtualTime {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final DistributedLock lock = a.lock("n", LockOptions.defaults().withReentrant(false));

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
    }

    private void refuses(ThrowingCallable entry) {
        assertThatThrownBy(entry)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'n'")
                .hasMessageContaining("thread " + Thread.currentThread().getName())
                .hasMessageContaining("withReentrant(false)");
    }

    @Test
    void everyWayInIsRefusedAtOnceAndTheHoldStaysAsItWas() {
        lock.lock();
        long before = calls(a);
        Duration began = sim.elapsed();
        refuses(lock::lock);
        refuses(() -> lock.lock(SECOND));
        refuses(lock::lockInterruptibly);
        refuses(lock::tryLock);
        refuses(() -> lock.tryLock(SECOND));
        refuses(() -> lock.tryLock(SECOND, SECOND));
        assertThat(calls(a)).isEqualTo(before);
        assertThat(sim.elapsed()).isEqualTo(began);
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThat(lock.isValid()).isTrue();
        lock.unlock();
    }

    @Test
    void othersWaitAsEver() {
        lock.lock();
        SimThread other = start("other", () -> {
            lock.lock();
            lock.unlock();
        });
        sim.runFor(SECOND);
        assertThat(other.done()).isFalse();
        lock.unlock();
        other.join();
    }

    @Test
    void itIsAskedOfTheLockThatIsEnteredWith() {
        lock.lock();
        a.lock("n").lock();
        refuses(lock::tryLock);
        a.lock("n").unlock();
        lock.unlock();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void aLostHoldIsToldBeforeAnythingElse() {
        lock.lock();
        b.lock("n").forceUnlock();
        sim.runFor(SECOND);
        assertThatThrownBy(lock::tryLock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aLeaseIsAnotherOwnerAndNoReentry() throws InterruptedException {
        try (Lease lease = lock.acquire()) {
            assertThat(lease.isValid()).isTrue();
            assertThat(lock.tryAcquire()).isEmpty();
            assertThat(sim.await(lock.async().tryAcquire())).isEmpty();
        }
    }
}
