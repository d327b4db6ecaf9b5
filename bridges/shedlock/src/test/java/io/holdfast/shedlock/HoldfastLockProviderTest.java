package io.holdfast.shedlock;

import static io.holdfast.shedlock.LockProviderContract.HOUR;
import static io.holdfast.shedlock.LockProviderContract.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.holdfast.Holdfast;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.support.LockException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class HoldfastLockProviderTest {

    private static final LockConfiguration JOB = job("job", HOUR, Duration.ZERO);

    private final Holdfast client = Holdfast.connect("memory:");
    private final HoldfastLockProvider provider = new HoldfastLockProvider(client);

    @AfterEach
    void close() {
        client.close();
    }

    @Test
    void aPrefixPrecedesTheName() {
        FencedSimpleLock lock =
                new HoldfastLockProvider(client, "jobs/").tryLock(JOB).orElseThrow();
        assertThat(client.lock("jobs/job").isLocked()).isTrue();
        assertThat(client.lock("job").isLocked()).isFalse();
        lock.unlock();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0.099S", "P366D", "PT0S"})
    void aTimeThatNoLeaseCanHaveIsRefused(Duration atMost) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> provider.lock(job("job", atMost, Duration.ZERO)))
                .withMessage("lock 'job': lockAtMostFor " + atMost + " is out of range: 100 ms to 365 days");
        FencedSimpleLock lock = provider.tryLock(JOB).orElseThrow();
        assertThatIllegalArgumentException().isThrownBy(() -> lock.extend(atMost, Duration.ZERO));
        lock.unlock();
    }

    @Test
    void aNameThatIsTooLongWithItsSuffixIsRefusedBeforeAnythingIsAcquired() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> provider.lock(job("n".repeat(500), HOUR, Duration.ZERO)))
                .withMessageContaining("512");
        assertThat(client.stats().grants()).isZero();
    }

    @Test
    void anInterruptedThreadAcquiresNothing() {
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(LockException.class).isThrownBy(() -> provider.lock(JOB));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(client.list("")).isEmpty();
    }

    @Test
    void anInterruptedThreadUnlocksAndKeepsTheNameUntilLockAtLeastForHasPassed() {
        FencedSimpleLock lock = provider.tryLock(job("job", HOUR, HOUR)).orElseThrow();
        Thread.currentThread().interrupt();
        lock.unlock();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(client.lock("job").isLocked()).isFalse();
        assertThat(client.lock("job:lockAtLeastFor").isLocked()).isTrue();
        assertThat(provider.tryLock(JOB)).isEmpty();
    }

    @Test
    void theCurrentTokenIsThatOfTheInnermostOpenLock() {
        FencedSimpleLock outer = provider.tryLock(JOB).orElseThrow();
        FencedSimpleLock inner =
                provider.tryLock(job("inner", HOUR, Duration.ZERO)).orElseThrow();
        assertThat(HoldfastLockProvider.currentFencingToken()).isEqualTo(inner.fencingToken());
        inner.unlock();
        assertThat(HoldfastLockProvider.currentFencingToken()).isEqualTo(outer.fencingToken());
        CompletableFuture.runAsync(outer::unlock).join();
        assertThatIllegalStateException()
                .isThrownBy(HoldfastLockProvider::currentFencingToken)
                .withMessageContaining("HoldfastLockProvider");
    }

    @Test
    void aLockThatIsNeverUnlockedIsForgottenWhenItEnds() throws Exception {
        provider.tryLock(job("forgotten", Duration.ofSeconds(2), Duration.ZERO));
        Thread.sleep(2_050);
        FencedSimpleLock next = provider.tryLock(JOB).orElseThrow();
        next.unlock();
        assertThatIllegalStateException().isThrownBy(HoldfastLockProvider::currentFencingToken);
    }

    @Test
    void aLockIsNotReentrant() {
        FencedSimpleLock lock = provider.tryLock(JOB).orElseThrow();
        assertThat(provider.tryLock(JOB)).isEmpty();
        lock.unlock();
    }
}
