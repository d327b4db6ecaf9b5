package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.LockTimeoutException;
import io.holdfast.recipes.MultiLock;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** A name that would forge a line of a log is escaped in each text, and exact in each value. */
class NameTextsTest extends VirtualTime {

    private static final String NAME = "cart/7\r\n2026-11-27 INFO auth - 'admin' logged in\u001b[2K";
    private static final String SHOWN = "'cart/7\\u000d\\u000a2026-11-27 INFO auth - 'admin' logged in\\u001b[2K'";
    private static final Duration SHORT = Duration.ofSeconds(1);

    private final DistributedLock lock = a.lock(NAME);

    private static void requireShown(Object text) {
        assertThat(text.toString()).contains(SHOWN).doesNotContain("\r", "\n", "\u001b");
    }

    private static Throwable thrown(ThrowingCallable call) {
        return catchThrowable(call);
    }

    @Test
    void escapesTheNameInEachException() throws InterruptedException {
        Lease lease = lock.acquire();
        LockTimeoutException timedOut =
                (LockTimeoutException) thrown(() -> b.lock(NAME).acquire(SHORT));
        requireShown(timedOut.getMessage());
        assertThat(timedOut.name()).isEqualTo(NAME);
        requireShown(thrown(b.lock(NAME)::unlock).getMessage());
        requireShown(thrown(() -> lease.extend(SHORT)).getMessage());
        requireShown(thrown(() -> lock.tryAcquire(SHORT, Duration.ofDays(-1))).getMessage());

        assertThat(b.lock(NAME).forceUnlock()).isTrue();
        requireShown(thrown(lease::close).getMessage());
        assertThat(events(LockEvent.Lost.class)).extracting(LockEvent::name).containsOnly(NAME);
    }

    @Test
    void escapesTheNameInEachDescription() {
        DistributedSemaphore semaphore = a.semaphore(NAME);
        for (Object any : List.of(
                lock,
                a.fairLock(NAME),
                a.readWriteLock(NAME).readLock(),
                a.readWriteLock(NAME).writeLock(),
                semaphore,
                a.countDownLatch(NAME),
                MultiLock.of(lock, a.lock("other")))) {
            requireShown(any);
        }
        requireShown(thrown(semaphore::tryAcquire).getMessage());
    }

    @Test
    void escapesTheNameOfAThread() {
        Thread me = Thread.currentThread();
        String before = me.getName();
        try {
            me.setName("worker\n7");
            assertThat(thrown(lock::unlock)).hasMessageContaining("thread worker\\u000a7");
        } finally {
            me.setName(before);
        }
    }

    @Test
    void keepsTheNameExactInReports() throws InterruptedException {
        try (Lease held = lock.acquire()) {
            assertThat(held.isValid()).isTrue();
            assertThat(b.inspect(NAME).name()).isEqualTo(NAME);
            assertThat(b.list("cart/")).extracting(report -> report.name()).containsExactly(NAME);
        }
    }
}
