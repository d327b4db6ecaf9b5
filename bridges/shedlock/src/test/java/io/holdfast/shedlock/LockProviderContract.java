package io.holdfast.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.holdfast.Holdfast;
import io.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What ShedLock expects of each lock provider, for two clients of one store. */
@Tag("everywhere")
@Timeout(180)
abstract class LockProviderContract {

    static final Duration HOUR = Duration.ofHours(1);
    static final Duration MOMENT = Duration.ofMillis(500);
    private static final int THREADS = 4;
    private static final int ROUNDS = 40;

    Holdfast hereClient;
    Holdfast thereClient;
    HoldfastLockProvider here;
    HoldfastLockProvider there;

    abstract String uri();

    @BeforeEach
    void connect() {
        hereClient = Holdfast.connect(uri());
        thereClient = Holdfast.connect(uri());
        here = new HoldfastLockProvider(hereClient);
        there = new HoldfastLockProvider(thereClient);
    }

    @AfterEach
    void close() {
        hereClient.close();
        thereClient.close();
    }

    @Test
    void aLockExcludesAllProvidersUntilItIsUnlocked() {
        LockConfiguration job = job("job", HOUR, Duration.ZERO);
        SimpleLock lock = here.lock(job).orElseThrow();
        assertThat(here.lock(job)).isEmpty();
        assertThat(there.lock(job)).isEmpty();
        lock.unlock();
        assertThat(hereClient.list("")).isEmpty();
        there.lock(job).orElseThrow().unlock();
    }

    @Test
    void locksOfDifferentNamesAreIndependent() {
        SimpleLock first = here.lock(job("first", HOUR, Duration.ZERO)).orElseThrow();
        SimpleLock second = here.lock(job("second", HOUR, Duration.ZERO)).orElseThrow();
        first.unlock();
        second.unlock();
    }

    @Test
    void aLockIsFreeRightAfterItsUnlock() {
        LockConfiguration job = job("job", HOUR, Duration.ZERO);
        for (int i = 0; i < 10; i++) {
            SimpleLock lock = (i % 2 == 0 ? here : there).lock(job).orElseThrow();
            assertThat(there.lock(job)).isEmpty();
            lock.unlock();
        }
    }

    @Test
    void aLockIsFreeWhenLockAtMostForHasPassed() throws Exception {
        SimpleLock lost = lockForAMoment(here::lock);
        awaitFree(there).unlock();
        assertThat(lost.extend(HOUR, Duration.ZERO)).isEmpty();
    }

    @Test
    void aLockIsNotFreeBeforeLockAtLeastForHasPassed() throws Exception {
        long start = System.nanoTime();
        here.lock(job("job", HOUR, MOMENT)).orElseThrow().unlock();
        SimpleLock next = awaitFree(there);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(MOMENT);
        next.unlock();
        assertThat(hereClient.list("")).isEmpty();
    }

    @Test
    void aLockThatIsUnlockedAfterLockAtLeastForIsFreeAtOnce() throws Exception {
        SimpleLock lock = here.lock(job("job", HOUR, MOMENT)).orElseThrow();
        Thread.sleep(MOMENT.toMillis() + 1);
        lock.unlock();
        there.lock(job("job", HOUR, Duration.ZERO)).orElseThrow().unlock();
    }

    @Test
    void lockAtLeastForOutlivesTheClient() throws Exception {
        long start = System.nanoTime();
        here.lock(job("job", HOUR, MOMENT)).orElseThrow().unlock();
        hereClient.close();
        SimpleLock next = awaitFree(there);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(MOMENT);
        next.unlock();
    }

    @Test
    void anExtensionMovesTheEnd() throws Exception {
        Duration first = Duration.ofSeconds(5);
        LockConfiguration job = job("job", first, Duration.ZERO);
        SimpleLock lock = here.lock(job).orElseThrow();
        SimpleLock extended = lock.extend(HOUR, Duration.ZERO).orElseThrow();
        Thread.sleep(first.toMillis() + 50);
        assertThat(there.lock(job)).isEmpty();
        extended.unlock();
        there.lock(job).orElseThrow().unlock();
    }

    @Test
    void anExtensionNeverMovesTheEndToAnEarlierTime() throws Exception {
        LockConfiguration job = job("job", HOUR, Duration.ZERO);
        SimpleLock lock = here.lock(job).orElseThrow();
        SimpleLock extended = lock.extend(MOMENT, Duration.ZERO).orElseThrow();
        Thread.sleep(MOMENT.toMillis() + 50);
        assertThat(there.lock(job)).isEmpty();
        extended.unlock();
    }

    @Test
    void anExtensionReplacesLockAtLeastFor() throws Exception {
        LockConfiguration job = job("job", HOUR, Duration.ZERO);
        long start = System.nanoTime();
        here.lock(job).orElseThrow().extend(HOUR, MOMENT).orElseThrow().unlock();
        SimpleLock next = awaitFree(there);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(MOMENT);
        next.extend(HOUR, HOUR)
                .orElseThrow()
                .extend(HOUR, Duration.ZERO)
                .orElseThrow()
                .unlock();
        there.lock(job).orElseThrow().unlock();
    }

    @Test
    void anUnlockedLockCannotBeUsedAgain() {
        SimpleLock lock = here.lock(job("job", HOUR, Duration.ZERO)).orElseThrow();
        lock.unlock();
        assertThatIllegalStateException().isThrownBy(lock::unlock);
        assertThatIllegalStateException().isThrownBy(() -> lock.extend(HOUR, Duration.ZERO));
    }

    @Test
    void anExtendedLockCannotBeUsedAgain() {
        SimpleLock lock = here.lock(job("job", HOUR, Duration.ZERO)).orElseThrow();
        SimpleLock extended = lock.extend(HOUR, Duration.ZERO).orElseThrow();
        assertThatIllegalStateException().isThrownBy(lock::unlock);
        assertThatIllegalStateException().isThrownBy(() -> lock.extend(HOUR, Duration.ZERO));
        extended.unlock();
    }

    /** A counter that is not thread-safe shows each overlap of two holders. */
    @Test
    void noTwoThreadsHoldALockAtOnce() throws Exception {
        int[] counter = new int[1];
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> loops = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                HoldfastLockProvider provider = i % 2 == 0 ? here : there;
                loops.add(threads.submit(() -> count(provider, counter)));
            }
            for (Future<?> loop : loops) {
                loop.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(counter[0]).isEqualTo(THREADS * ROUNDS);
    }

    @Test
    void aTaskOfShedLockReadsItsTokenAndExtendsItsLock() throws Throwable {
        DefaultLockingTaskExecutor executor = new DefaultLockingTaskExecutor(here);
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            executor.executeWithLock(
                    (Runnable) () -> {
                        tokens.add(HoldfastLockProvider.currentFencingToken());
                        LockExtender.extendActiveLock(HOUR, Duration.ZERO);
                        tokens.add(HoldfastLockProvider.currentFencingToken());
                        assertThat(there.lock(job("job", HOUR, Duration.ZERO))).isEmpty();
                    },
                    job("job", Duration.ofSeconds(30), Duration.ZERO));
        }
        assertThat(tokens).hasSize(4).isSorted();
        assertThat(tokens.get(1)).isEqualTo(tokens.get(0)).isLessThan(tokens.get(2));
        there.lock(job("job", HOUR, Duration.ZERO)).orElseThrow().unlock();
    }

    private static void count(HoldfastLockProvider provider, int[] counter) {
        for (int i = 0; i < ROUNDS; ) {
            Optional<SimpleLock> lock = provider.lock(job("job", HOUR, Duration.ZERO));
            if (lock.isPresent()) {
                int read = counter[0];
                Thread.onSpinWait();
                counter[0] = read + 1;
                lock.get().unlock();
                i++;
            }
        }
    }

    static SimpleLock awaitFree(HoldfastLockProvider provider) throws InterruptedException {
        Optional<SimpleLock> lock = provider.lock(job("job", HOUR, Duration.ZERO));
        for (int i = 0; lock.isEmpty() && i < 1_000; i++) {
            Thread.sleep(20);
            lock = provider.lock(job("job", HOUR, Duration.ZERO));
        }
        return lock.orElseThrow();
    }

    /** Acquires a lock that ends soon. If the answer takes longer than that, it fails, and is repeated. */
    static <T> T lockForAMoment(Function<LockConfiguration, Optional<T>> attempt) throws InterruptedException {
        LockConfiguration job = job("job", MOMENT, Duration.ZERO);
        for (int i = 0; ; i++) {
            try {
                Optional<T> lock = attempt.apply(job);
                if (lock.isPresent() || i == 100) {
                    return lock.orElseThrow();
                }
            } catch (StoreUnavailableException e) {
                if (i == 100) {
                    throw e;
                }
            }
            Thread.sleep(20);
        }
    }

    static LockConfiguration job(String name, Duration atMost, Duration atLeast) {
        return new LockConfiguration(Instant.now(), name, atMost, atLeast);
    }
}
