package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A thread that asks for what it has itself, by the other face of the lock. */
class SelfWaitTest {

    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final Servers servers = Servers.shared();
    private final Holdfast client = Holdfast.connect(servers.uri());
    private final String name = Servers.name();
    private final DistributedLock lock = client.lock(name);

    @AfterEach
    void close() {
        client.close();
        assertThat(servers.keysOf(name)).isEmpty();
    }

    private static String me() {
        return Thread.currentThread().getName();
    }

    private void assertWouldWaitForItself(ThrowingCallable call, long token) {
        assertThatThrownBy(call)
                .isExactlyInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("lock '" + name + "'", "thread " + me(), "(token " + token + ")")
                .hasMessageContainingAll("would wait for itself", "release that hold first");
    }

    @Test
    void aThreadWithAnOpenLeaseDoesNotWaitForItself() throws Exception {
        try (Lease lease = lock.acquire()) {
            assertWouldWaitForItself(lock::lock, lease.fencingToken());
            assertWouldWaitForItself(() -> lock.lock(Duration.ofSeconds(1)), lease.fencingToken());
            assertWouldWaitForItself(lock::lockInterruptibly, lease.fencingToken());
            assertWouldWaitForItself(() -> lock.tryLock(FOR_EVER), lease.fencingToken());
            assertWouldWaitForItself(lock::acquire, lease.fencingToken());
            assertWouldWaitForItself(() -> lock.tryAcquire(FOR_EVER), lease.fencingToken());
            assertThat(lock.tryLock()).isFalse();
            assertThat(lock.tryLock(Duration.ofMillis(10))).isFalse();
            assertThat(HolderAnswers.timeout(() -> lock.acquire(Duration.ofMillis(10))))
                    .hasMessageContainingAll("lock '" + name + "'", "held by", "token " + lease.fencingToken());
            assertThat(lease.isValid()).isTrue();
        }
        lock.lock();
        lock.unlock();
    }

    @Test
    void anAcquireWithAnEndlessWaitDoesNotWaitForItselfEither() throws Exception {
        FutureTask<Throwable> task = new FutureTask<>(() -> {
            try (Lease lease = lock.acquire()) {
                assertThat(lease.isValid()).isTrue();
                return catchThrowable(() -> lock.acquire(FOR_EVER));
            }
        });
        Thread thread = new Thread(task, "selfish");
        thread.start();
        Await.until(
                "it threw or waits",
                () -> task.isDone()
                        || (client.stats().held() == 1 && client.stats().waiting() == 1));
        thread.interrupt();
        assertThat(task.get())
                .isExactlyInstanceOf(IllegalStateException.class)
                .hasMessageContaining("would wait for itself");
    }

    @Test
    void aThreadThatHoldsTheLockDoesNotWaitForALease() throws Exception {
        lock.lock();
        assertWouldWaitForItself(lock::acquire, lock.fencingToken());
        assertThat(lock.tryAcquire()).isEmpty();
        assertThat(lock.tryAcquire(Duration.ofMillis(10))).isEmpty();
        lock.unlock();
    }
}
