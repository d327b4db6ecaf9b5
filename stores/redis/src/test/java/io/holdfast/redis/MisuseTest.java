package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls by the wrong thread, too often, or too late. */
class MisuseTest {

    private static final Duration MOMENT = Duration.ofSeconds(2);
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final Servers servers = Servers.shared();
    private final Holdfast client = Holdfast.connect(servers.uri());
    private final Holdfast other = Holdfast.connect(servers.uri());
    private final String name = Servers.name();
    private final DistributedLock lock = client.lock(name);

    @AfterEach
    void close() {
        client.close();
        other.close();
        assertThat(servers.keysOf(name)).isEmpty();
    }

    private AbstractThrowableAssert<?, ? extends Throwable> assertNotOwner(ThrowingCallable call) {
        return assertThatThrownBy(call)
                .isExactlyInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContainingAll(
                        "lock '" + name + "' is not held by thread " + me(),
                        "Unlock in the thread that locked, once for each lock()");
    }

    private static String me() {
        return Thread.currentThread().getName();
    }

    private AbstractThrowableAssert<?, ? extends Throwable> assertLost(long token, ThrowingCallable call) {
        return assertThatThrownBy(call)
                .isInstanceOfSatisfying(LeaseLostException.class, e -> {
                    assertThat(e.name()).isEqualTo(name);
                    assertThat(e.fencingToken()).isEqualTo(token);
                })
                .hasMessageContainingAll("lock '" + name + "'", "lost its hold (token " + token + ")")
                .hasMessageContaining("undo or fence what was done under it");
    }

    // ---- unlock

    @Test
    void aStrangerCannotUnlockAndIsToldWhoCan() throws Exception {
        lock.lock();
        FutureTask<Throwable> stranger = new FutureTask<>(() -> catchThrowable(lock::unlock));
        new Thread(stranger, "stranger").start();
        assertThat(stranger.get())
                .isExactlyInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContainingAll(
                        "lock '" + name + "' is not held by thread stranger",
                        "held by thread " + me() + " (token " + lock.fencingToken() + ")",
                        "Unlock in the thread that locked");
        assertThat(lock.isValid()).isTrue();
        assertThat(other.lock(name).isLocked()).isTrue();
        lock.unlock();
    }

    @Test
    void anotherClientCannotUnlock() {
        lock.lock();
        assertNotOwner(() -> other.lock(name).unlock());
        assertNotOwner(() -> other.lock(name).fencingToken());
        assertNotOwner(() -> other.lock(name).remainingLease());
        assertThat(lock.isValid()).isTrue();
        lock.unlock();
    }

    @Test
    void whatWasNeverLockedCannotBeUnlocked() {
        assertNotOwner(lock::unlock).hasMessageContaining("it is not held");
        assertThat(lock.forceUnlock()).isFalse();
    }

    @Test
    void eachLockIsUnlockedOnce() {
        lock.lock();
        lock.lock();
        lock.unlock();
        lock.unlock();
        assertNotOwner(lock::unlock).hasMessageContaining("it is not held");
        assertThat(other.lock(name).tryLock()).isTrue();
        assertNotOwner(lock::unlock);
        assertThat(other.lock(name).isValid()).isTrue();
        other.lock(name).unlock();
    }

    @Test
    void aLeaseIsNotUnlockedByItsThread() throws Exception {
        try (Lease lease = lock.acquire()) {
            assertNotOwner(lock::unlock).hasMessageContaining("held by lease");
            assertThat(lease.isValid()).isTrue();
        }
    }

    // ---- after a loss

    @Test
    void anUnlockAfterTheLeaseHasEndedTellsTheLossOnce() {
        lock.lock(MOMENT);
        long token = lock.fencingToken();
        Await.until("it is over", () -> !lock.isValid());
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.remainingLease()).isZero();
        assertLost(token, lock::fencingToken).hasMessageContaining("the lease that it was acquired for has ended");
        assertLost(token, lock::lock);
        assertLost(token, lock::tryLock);
        assertLost(token, lock::unlock).hasMessageContaining("the lease that it was acquired for has ended");
        assertNotOwner(lock::unlock);
        lock.lock();
        assertThat(lock.fencingToken()).isGreaterThan(token);
        lock.unlock();
    }

    @Test
    void anUnlockAfterTheKeyWasDeletedTellsTheLossOnce() {
        lock.lock();
        long token = lock.fencingToken();
        servers.redis.del(name);
        assertThat(other.lock(name).tryLock()).isTrue();
        assertLost(token, lock::unlock).hasMessageContaining("no longer held it when it was released");
        assertNotOwner(lock::unlock);
        assertThat(other.lock(name).isLocked()).isTrue();
        other.lock(name).unlock();
    }

    @Test
    void eachLevelOfALostHoldIsToldTheLoss() {
        lock.lock();
        lock.lock();
        long token = lock.fencingToken();
        other.lock(name).forceUnlock();
        Await.until("it is told", () -> !lock.isValid());
        assertLost(token, lock::unlock).hasMessageContaining("no longer holds it");
        assertLost(token, lock::unlock).hasMessageContaining("no longer holds it");
        assertNotOwner(lock::unlock);
    }

    @Test
    void aStrangerIsToldThatTheHoldWasLost() throws Exception {
        lock.lock();
        other.lock(name).forceUnlock();
        Await.until("it is told", () -> !lock.isValid());
        FutureTask<Throwable> stranger = new FutureTask<>(() -> catchThrowable(lock::unlock));
        new Thread(stranger, "stranger").start();
        Throwable thrown = stranger.get();
        assertThat(catchThrowable(lock::unlock)).isInstanceOf(LeaseLostException.class);
        assertThat(thrown)
                .hasMessageContaining("lock '" + name + "' is not held by thread stranger")
                .hasMessageNotContaining("being acquired or released");
    }

    @Test
    void aLostLeaseSaysSoUntilItIsClosed() throws Exception {
        Lease lease = lock.acquire();
        servers.redis.del(name);
        Await.until("the loss is noticed", () -> isLost(lease));
        assertLost(lease.fencingToken(), () -> lease.ensureValid(Duration.ZERO))
                .hasMessageContaining("no longer holds it");
        assertLost(lease.fencingToken(), () -> lease.extend(Duration.ofSeconds(1)));
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remainingLease()).isZero();
        assertLost(lease.fencingToken(), lease::close);
        assertThatCode(lease::close).doesNotThrowAnyException();
    }

    /** Asks for more than there is without a renewal, and so for a renewal. */
    private static boolean isLost(Lease lease) {
        return catchThrowable(() -> lease.ensureValid(Duration.ofMillis(29_695))) instanceof LeaseLostException;
    }

    // ---- leases

    @Test
    void aSecondCloseDoesNothing() throws Exception {
        Lease lease = lock.acquire();
        lease.close();
        try (Lease next = other.lock(name).acquire()) {
            lease.close();
            Await.reply(lease.closeAsync());
            assertThat(other.lock(name).isLocked()).isTrue();
            next.ensureValid(Duration.ofSeconds(1));
        }
    }

    @Test
    void aClosedLeaseCannotBeUsed() throws Exception {
        Lease lease = lock.acquire();
        long token = lease.fencingToken();
        lease.close();
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.fencingToken()).isEqualTo(token);
        assertThatThrownBy(() -> lease.ensureValid(Duration.ZERO))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContainingAll("this lease ", " is closed (token " + token + ")");
        assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(1)))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContainingAll("this lease ", " is closed (token " + token + ")");
    }

    @Test
    void aValidityThatCannotBeHadIsRefused() throws Exception {
        try (Lease lease = lock.acquire()) {
            for (Duration bad : new Duration[] {
                Duration.ofNanos(-1), Duration.ofSeconds(Long.MIN_VALUE), Duration.ofSeconds(30), FOR_EVER
            }) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> lease.ensureValid(bad))
                        .withMessageContainingAll("lock '" + name + "'", "atLeast " + bad, "zero to 29698 ms");
            }
            lease.ensureValid(Duration.ofSeconds(20));
        }
        try (Lease lease =
                lock.tryAcquire(Duration.ZERO, Duration.ofSeconds(10)).orElseThrow()) {
            lease.ensureValid(Duration.ofSeconds(5));
        }
    }

    @Test
    void whatTheWatchdogRenewsCannotBeExtended() throws Exception {
        try (Lease lease = lock.acquire()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> lease.extend(Duration.ofSeconds(1)))
                    .withMessageContainingAll("lock '" + name + "'", "the watchdog renews this lease");
        }
    }

    // ---- what there is not

    @Test
    void thereAreNoConditions() {
        assertThatThrownBy(lock::newCondition)
                .isExactlyInstanceOf(UnsupportedOperationException.class)
                .hasMessageContainingAll("lock '" + name + "'", "conditions are not supported", "a queue or a latch");
    }

    @Test
    void aClosedClientDoesNothing() {
        client.close();
        for (ThrowingCallable call : new ThrowingCallable[] {
            lock::lock, lock::tryLock, lock::acquire, lock::holder, lock::forceUnlock, () -> client.lock(name)
        }) {
            assertThatIllegalStateException()
                    .isThrownBy(call)
                    .withMessageContainingAll("lock '" + name + "'", "is closed");
        }
    }
}
