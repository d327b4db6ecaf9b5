package io.holdfast.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

@Tag("everywhere")
@Timeout(180)
class HoldfastLockRegistryTest {

    private static final String EXPECTED = System.getProperty("holdfast.spring-integration", "");

    private final String uri = "memory:" + UUID.randomUUID();
    private final Holdfast hereClient = Holdfast.connect(uri);
    private final Holdfast thereClient = Holdfast.connect(uri);
    private final HoldfastLockRegistry here = new HoldfastLockRegistry(hereClient, "keys/");
    private final HoldfastLockRegistry there = new HoldfastLockRegistry(thereClient, "keys/");

    @AfterEach
    void close() {
        hereClient.close();
        thereClient.close();
    }

    /** The run with the next major version of Spring Integration really has that version. */
    @Test
    void theExpectedVersionOfSpringIntegrationIsUsed() throws Exception {
        Path jar = Path.of(LockRegistry.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        assertThat(jar.getFileName().toString()).contains(EXPECTED);
    }

    @Test
    void theLocksOfOneKeyAreOneLock() {
        LockRegistry registry = here;
        Lock lock = registry.obtain("a");
        lock.lock();
        assertThat(there.obtain("a").tryLock()).isFalse();
        assertThat(there.obtain("b").tryLock()).isTrue();
        assertThat(thereClient.lock("keys/a").isLocked()).isTrue();
        lock.unlock();
        assertThat(there.obtain("a").tryLock()).isTrue();
        assertThat(registry.obtain("a")).isEqualTo(lock);
    }

    @Test
    void aTaskRunsUnderTheLockOfItsKey() throws Exception {
        LockRegistry registry = here;
        boolean[] locked = new boolean[1];
        registry.executeLocked("a", () -> locked[0] = thereClient.lock("keys/a").isLocked());
        assertThat(locked[0]).isTrue();
        there.obtain("a").lock();
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> registry.executeLocked("a", Duration.ofMillis(20), () -> {}));
    }

    @Test
    void aLockIsReentrantAndBelongsToItsThread() {
        DistributedLock lock = here.obtain("a");
        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.holdCount()).isEqualTo(2);
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> CompletableFuture.runAsync(lock::unlock).join())
                .withCauseInstanceOf(IllegalMonitorStateException.class);
        lock.unlock();
        lock.unlock();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void anUnlockReportsALostHold() {
        DistributedLock lock = here.obtain("a");
        lock.lock();
        there.obtain("a").forceUnlock();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
    }

    @Test
    void aRenewalConfirmsTheHoldOfTheCurrentThread() {
        RenewableLockRegistry registry = here;
        DistributedLock lock = here.obtain("a");
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> registry.renewLock("a"));
        lock.lock();
        registry.renewLock("a");
        here.renewLock("a", Duration.ofHours(1));
        assertThatIllegalArgumentException().isThrownBy(() -> here.renewLock("a", Duration.ZERO));
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() ->
                        CompletableFuture.runAsync(() -> here.renewLock("a")).join())
                .withCauseInstanceOf(IllegalMonitorStateException.class);
        lock.unlock();
    }

    @Test
    void aFunctionNamesTheLocks() {
        HoldfastLockRegistry registry =
                new HoldfastLockRegistry(hereClient, key -> "number/" + key.hashCode(), LockOptions.defaults());
        assertThat(registry.obtain(42).name()).isEqualTo("number/42");
    }

    @Test
    void theOptionsApplyToAllLocks() {
        HoldfastLockRegistry registry = new HoldfastLockRegistry(
                hereClient, String::valueOf, LockOptions.defaults().withReentrant(false));
        DistributedLock lock = registry.obtain("a");
        lock.lock();
        assertThatIllegalStateException().isThrownBy(lock::tryLock);
    }

    @Test
    void aKeyWithoutATextOfItsOwnIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> here.obtain(new Object()))
                .withMessageContaining("java.lang.Object does not override toString");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> here.obtain(new byte[1]))
                .withMessageContaining("byte[] does not override toString");
        UUID key = UUID.randomUUID();
        assertThat(here.obtain(key).name()).isEqualTo("keys/" + key);
    }

    @Test
    void aNameOutOfBoundsIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> here.obtain("k".repeat(508)))
                .withMessageContaining("512");
        assertThatIllegalArgumentException().isThrownBy(() -> new HoldfastLockRegistry(hereClient, "").obtain(""));
    }

    @Test
    void aClosedClientHasNoLocks() {
        hereClient.close();
        assertThatIllegalStateException().isThrownBy(() -> here.obtain("a")).withMessageContaining("closed");
    }
}
