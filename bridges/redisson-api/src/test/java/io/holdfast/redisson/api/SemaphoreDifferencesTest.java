package io.holdfast.redisson.api;

import static io.holdfast.redisson.api.Contract.await;
import static io.holdfast.redisson.api.Contract.name;
import static io.holdfast.redisson.api.Contract.result;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.PermitHolder;
import io.holdfast.StoreRefusedException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RFuture;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RSemaphore;

/** What differs from Redisson for semaphores and latches: each row about them in docs/migrating-from-redisson.md. */
@Tag("everywhere")
class SemaphoreDifferencesTest {

    private final String store = "memory:" + name();
    private final Holdfast holdfast = Holdfast.connect(store);
    private final Holdfast otherHoldfast = Holdfast.connect(store);
    private final RedissonLocks locks = RedissonLocks.of(holdfast);
    private final RedissonLocks others = RedissonLocks.of(otherHoldfast);

    @AfterEach
    void close() {
        holdfast.close();
        otherHoldfast.close();
    }

    private RSemaphore semaphore(int permits) {
        RSemaphore semaphore = locks.getSemaphore(name());
        semaphore.trySetPermits(permits);
        return semaphore;
    }

    private RPermitExpirableSemaphore permits(int permits) {
        RPermitExpirableSemaphore semaphore = locks.getPermitExpirableSemaphore(name());
        semaphore.trySetPermits(permits);
        return semaphore;
    }

    // ---- semaphores without ids

    @Test
    void aSemaphoreWithoutPermitsIsAnError() {
        RSemaphore semaphore = locks.getSemaphore(name());
        assertThatThrownBy(semaphore::acquire).isInstanceOf(StoreRefusedException.class);
        assertThatThrownBy(semaphore::tryAcquire).isInstanceOf(StoreRefusedException.class);
        assertThatThrownBy(() -> semaphore.addPermits(1)).isInstanceOf(StoreRefusedException.class);
        assertThatThrownBy(() -> semaphore.trySetPermits(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void moreThanTheSemaphoreHasIsAnError() {
        assertThatThrownBy(() -> semaphore(2).tryAcquire(3)).isInstanceOf(StoreRefusedException.class);
    }

    @Test
    void onlyPermitsOfThisClientAreReleased() throws Exception {
        RSemaphore semaphore = semaphore(3);
        assertThatThrownBy(semaphore::release)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("release(1)")
                .hasMessageContaining("addPermits(1)");
        semaphore.acquire();
        assertThatThrownBy(() -> semaphore.release(2)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> others.getSemaphore(semaphore.getName()).release())
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(semaphore.availablePermits()).isEqualTo(2);
        semaphore.release();
        assertThat(semaphore.availablePermits()).isEqualTo(3);
        assertThatThrownBy(() -> semaphore.release(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void permitsOfOneCallAreReleasedTogether() throws Exception {
        RSemaphore semaphore = semaphore(9);
        semaphore.acquire(3);
        semaphore.acquire(2);
        semaphore.acquire(2);
        semaphore.acquire(2);
        assertThatThrownBy(() -> semaphore.release(1))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("[3, 2, 2, 2]");
        semaphore.release(6);
        assertThat(semaphore.availablePermits()).isEqualTo(6);
        semaphore.release(3);
        assertThat(semaphore.availablePermits()).isEqualTo(9);
    }

    @Test
    void thePermitsOfAClientThatEndsAreFree() throws Exception {
        RSemaphore semaphore = semaphore(1);
        semaphore.acquire();
        holdfast.close();
        assertThat(others.getSemaphore(semaphore.getName()).tryAcquire(Duration.ofSeconds(20)))
                .isTrue();
    }

    @Test
    void theReleaseOfALostPermitThrowsAndFreesNoOtherPermit() throws Exception {
        RSemaphore semaphore = semaphore(2);
        acquireElsewhere(semaphore);
        semaphore.acquire();
        loseYoungerPermit(semaphore);
        assertThatThrownBy(semaphore::release).isInstanceOf(LeaseLostException.class);
        assertThat(semaphore.availablePermits()).isEqualTo(1);
        semaphore.release();
        assertThat(semaphore.availablePermits()).isEqualTo(2);
    }

    @Test
    void aThreadThatAcquiredNothingReleasesALostPermitFirst() throws Exception {
        RSemaphore semaphore = semaphore(2);
        acquireElsewhere(semaphore);
        semaphore.acquire();
        loseYoungerPermit(semaphore);
        assertThatThrownBy(() -> result(CompletableFuture.runAsync(semaphore::release, fresh())))
                .hasCauseInstanceOf(LeaseLostException.class);
        result(CompletableFuture.runAsync(semaphore::release, fresh()));
        assertThat(semaphore.availablePermits()).isEqualTo(2);
    }

    @Test
    void aThreadReleasesItsOwnPermitFirst() throws Exception {
        RSemaphore semaphore = semaphore(2);
        semaphore.acquire();
        acquireElsewhere(semaphore);
        loseYoungerPermit(semaphore);
        semaphore.release();
        assertThat(semaphore.availablePermits()).isEqualTo(2);
        assertThatThrownBy(semaphore::release).isInstanceOf(LeaseLostException.class);
    }

    private static Executor fresh() {
        return task -> new Thread(task).start();
    }

    private static void acquireElsewhere(RSemaphore semaphore) throws Exception {
        boolean acquired = result(CompletableFuture.supplyAsync(() -> semaphore.tryAcquire(), fresh()));
        assertThat(acquired).isTrue();
    }

    /** Another client takes away the younger permit, and this client is notified. */
    private void loseYoungerPermit(RSemaphore semaphore) throws Exception {
        CompletableFuture<Void> lost = new CompletableFuture<>();
        holdfast.addListener(event -> {
            if (event instanceof LockEvent.Lost) {
                lost.complete(null);
            }
        });
        DistributedSemaphore other = otherHoldfast.semaphore(semaphore.getName());
        String younger = other.holders().stream()
                .map(PermitHolder::id)
                .max(Comparator.comparing(id -> Long.valueOf(id.substring(id.lastIndexOf(':') + 1))))
                .orElseThrow();
        other.release(younger);
        result(lost);
    }

    @Test
    void lostPermitsThatNobodyReleasesAreBounded() throws Exception {
        HeldPermits held = new HeldPermits();
        String name = semaphore(1).getName();
        for (int i = 0; i < HeldPermits.MOST_LOST + 5; i++) {
            var permit = holdfast.semaphore(name).acquire();
            held.add(permit, 1);
            otherHoldfast.semaphore(name).release(permit.id());
        }
        await(() -> held.total(name) == HeldPermits.MOST_LOST);
    }

    @Test
    void aCanceledAcquireTakesNoPermit() throws Exception {
        RSemaphore semaphore = semaphore(1);
        semaphore.acquire();
        RFuture<Void> waiting = semaphore.acquireAsync();
        assertThat(waiting.cancel(true)).isTrue();
        semaphore.release();
        await(() -> semaphore.availablePermits() == 1);
        assertThatThrownBy(semaphore::release).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void aSemaphoreIsNotDeletedWhilePermitsAreHeld() throws Exception {
        RSemaphore semaphore = semaphore(1);
        semaphore.acquire();
        assertThat(semaphore.delete()).isFalse();
        semaphore.release();
        assertThat(semaphore.delete()).isTrue();
    }

    @Test
    void methodsOfObjectsThatStoreValuesAreRefused() {
        assertThatThrownBy(() -> semaphore(1).rename("other"))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("RObject.rename(String)");
        assertThatThrownBy(() -> semaphore(1).trySetPermits(1, Duration.ofSeconds(1)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("trySetPermits(int, Duration)");
        assertThatThrownBy(() -> permits(1).expire(Duration.ofSeconds(1)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("RExpirable.expire(Duration)");
        assertThatThrownBy(() -> locks.getCountDownLatch(name()).touchAsync())
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("RObjectAsync.touchAsync()");
    }

    // ---- semaphores with ids

    @Test
    void aCallAcquiresAndReleasesOnePermit() {
        RPermitExpirableSemaphore semaphore = permits(3);
        assertThatThrownBy(() -> semaphore.acquire(2))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("acquire(int)");
        assertThatThrownBy(() -> semaphore.tryAcquire(2)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> semaphore.release(List.of("1", "2")))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("release(List)");
    }

    @Test
    void aTryThatFailsAsynchronouslyReturnsNull() throws Exception {
        RPermitExpirableSemaphore semaphore = permits(1);
        assertThat(result(semaphore.tryAcquireAsync())).isNotNull();
        assertThat(result(semaphore.tryAcquireAsync())).isNull();
    }

    @Test
    void aReleaseByAnotherClientIsALossOfTheHolder() throws Exception {
        RPermitExpirableSemaphore semaphore = permits(1);
        AtomicInteger losses = new AtomicInteger();
        holdfast.addListener(event -> losses.addAndGet(event instanceof LockEvent.Lost ? 1 : 0));
        String id = semaphore.acquire();
        others.getPermitExpirableSemaphore(semaphore.getName()).release(id);
        await(() -> losses.get() == 1);
        assertThatThrownBy(() -> semaphore.release(id))
                .isInstanceOf(IllegalArgumentException.class)
                .hasCauseInstanceOf(IllegalMonitorStateException.class);
        String next = semaphore.acquire();
        semaphore.release(next);
        assertThat(losses).hasValue(1);
    }

    @Test
    void aPermitThatIsReleasedOrLostIsForgotten() throws Exception {
        String name = permits(2).getName();
        Map<String, PermitCalls.Own> held = new ConcurrentHashMap<>();
        PermitCalls calls = new PermitCalls(holdfast.semaphore(name), held);
        String released = calls.acquire();
        calls.acquire(5, SECONDS);
        assertThat(held).hasSize(2);
        calls.release(released);
        await(held::isEmpty);
    }

    @Test
    void aPermitWithoutALeaseEndsWithItsClient() throws Exception {
        RPermitExpirableSemaphore semaphore = permits(1);
        String id = semaphore.acquire();
        assertThat(semaphore.getLeaseTime(id)).isEqualTo(-1);
        holdfast.close();
        assertThat(others.getPermitExpirableSemaphore(semaphore.getName()).tryAcquire(20, SECONDS))
                .isNotNull();
    }

    @Test
    void aLeaseIsOnlyExtendedAndOnlyByItsClient() throws Exception {
        RPermitExpirableSemaphore semaphore = permits(2);
        String fixed = semaphore.acquire(20, SECONDS);
        assertThat(semaphore.updateLeaseTime(fixed, 150, MILLISECONDS)).isTrue();
        assertThat(semaphore.getLeaseTime(fixed)).isGreaterThan(15_000);
        assertThatThrownBy(() -> semaphore.updateLeaseTime(fixed, -1, SECONDS))
                .isInstanceOf(UnsupportedOperationException.class);
        String renewed = semaphore.acquire();
        assertThat(semaphore.updateLeaseTime(renewed, -1, SECONDS)).isTrue();
        assertThatThrownBy(() -> semaphore.updateLeaseTime(renewed, 20, SECONDS))
                .isInstanceOf(UnsupportedOperationException.class);
        RPermitExpirableSemaphore other = others.getPermitExpirableSemaphore(semaphore.getName());
        assertThatThrownBy(() -> other.updateLeaseTime(fixed, 20, SECONDS))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> other.getLeaseTime("none")).isInstanceOf(IllegalArgumentException.class);
    }

    // ---- latches

    @Test
    void theWaitersOfALatchThatIsDeletedGetAnError() throws Exception {
        RCountDownLatch latch = locks.getCountDownLatch(name());
        latch.trySetCount(1);
        long calls = holdfast.stats().storeCalls();
        RFuture<Void> waiting = latch.awaitAsync();
        await(() -> holdfast.stats().storeCalls() > calls);
        latch.delete();
        assertThatThrownBy(() -> result(waiting)).hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void aCountIsAPositiveInt() {
        RCountDownLatch latch = locks.getCountDownLatch(name());
        for (long count : new long[] {0, -1, 1L << 31}) {
            assertThatThrownBy(() -> latch.trySetCount(count))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("count " + count);
        }
    }

    @Test
    void oneOfManyCallersSetsAnOpenLatchAgain() throws Exception {
        RCountDownLatch latch = locks.getCountDownLatch(name());
        for (int round = 0; round < 20; round++) {
            latch.trySetCount(1);
            latch.countDown();
            List<CompletableFuture<Boolean>> calls = Stream.of(locks, others, locks, others)
                    .map(from -> from.getCountDownLatch(latch.getName()))
                    .map(from -> CompletableFuture.supplyAsync(() -> from.trySetCount(1)))
                    .toList();
            int set = 0;
            for (CompletableFuture<Boolean> call : calls) {
                set += result(call) ? 1 : 0;
            }
            assertThat(set).isEqualTo(1);
            latch.countDown();
        }
    }

    @Test
    void aCountdownOfAClosedClientThrows() {
        RCountDownLatch latch = locks.getCountDownLatch(name());
        latch.trySetCount(1);
        holdfast.close();
        assertThatThrownBy(latch::countDown).isInstanceOf(IllegalStateException.class);
    }
}
