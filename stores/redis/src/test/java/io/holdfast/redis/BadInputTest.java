package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Leases and waits that are wrong, and those at the border, at the user's call. */
@Tag("everywhere")
class BadInputTest {

    private static final Servers SERVERS = Servers.start();

    private final Holdfast client = Holdfast.connect(SERVERS.uri());
    private final Holdfast other = Holdfast.connect(SERVERS.uri());
    private final String name = Servers.name();
    private final DistributedLock lock = client.lock(name);

    @BeforeEach
    void forget() {
        SERVERS.redis.flushall();
    }

    @AfterEach
    void close() {
        client.close();
        other.close();
    }

    @AfterAll
    static void stop() {
        SERVERS.close();
    }

    // ---- leases

    /** All that take a lease. */
    private static void assertRefused(DistributedLock lock, Duration bad, String... texts) {
        for (ThrowingCallable call : new ThrowingCallable[] {
            () -> lock.lock(bad),
            () -> lock.tryLock(Duration.ZERO, bad),
            () -> lock.tryAcquire(Duration.ZERO, bad),
            () -> lock.async().tryAcquire(Duration.ZERO, bad),
            () -> LockOptions.defaults().withLease(bad),
            () -> Holdfast.builder().lease(bad)
        }) {
            assertThatThrownBy(call)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("lease " + bad)
                    .hasMessageContainingAll(texts);
        }
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(SERVERS.keys()).isEmpty();
    }

    static Stream<Duration> leasesThatAreNone() {
        return Stream.of(
                Duration.ZERO,
                Duration.ofNanos(-1),
                Duration.ofMillis(-1),
                Duration.ofSeconds(-1),
                Duration.ofSeconds(Long.MIN_VALUE));
    }

    @ParameterizedTest
    @MethodSource("leasesThatAreNone")
    void aLeaseOfZeroOrLessIsRefusedWithTheMethodWithoutOne(Duration bad) {
        assertRefused(lock, bad, "100 ms to 365 days", "use the method without a lease, which renews the hold");
    }

    static Stream<Duration> leasesOutOfRange() {
        return Stream.of(
                Duration.ofNanos(1),
                Duration.ofMillis(99),
                Duration.ofMillis(100).minusNanos(1),
                Duration.ofDays(365).plusNanos(1),
                Duration.ofDays(366),
                Duration.ofSeconds(Long.MAX_VALUE));
    }

    @ParameterizedTest
    @MethodSource("leasesOutOfRange")
    void aLeaseOutOfRangeIsRefused(Duration bad) {
        assertRefused(lock, bad, "is out of range", "100 ms to 365 days");
    }

    @Test
    void theFormWithAUnitHasTheSameRules() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lock.tryLock(0, 0, TimeUnit.SECONDS))
                .withMessageContainingAll("lease PT0S", "use the method without a lease");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lock.tryLock(10, -1, TimeUnit.SECONDS))
                .withMessageContainingAll("lease PT-1S", "use the method without a lease");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lock.tryLock(0, 99, TimeUnit.MILLISECONDS))
                .withMessageContainingAll("lease PT0.099S", "100 ms to 365 days");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lock.tryLock(0, Long.MAX_VALUE, TimeUnit.DAYS))
                .withMessageContaining("100 ms to 365 days");
        assertThat(SERVERS.keys()).isEmpty();
    }

    @Test
    void anExtensionHasTheSameRules() throws Exception {
        try (Lease lease =
                lock.tryAcquire(Duration.ZERO, Duration.ofSeconds(30)).orElseThrow()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> lease.extend(Duration.ofMillis(99)))
                    .withMessageContainingAll("lease PT0.099S", "100 ms to 365 days");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> lease.extend(Duration.ofSeconds(-1)))
                    .withMessageContainingAll("lease PT-1S", "100 ms to 365 days");
            assertThat(lease.remainingLease()).isGreaterThan(Duration.ofSeconds(20));
        }
    }

    @Test
    void aRefusedLeaseNamesTheLock() throws Exception {
        try (Lease lease = client.lock("other")
                .tryAcquire(Duration.ZERO, Duration.ofDays(1))
                .orElseThrow()) {
            assertThatThrownBy(() -> lease.extend(Duration.ofMillis(99))).hasMessageContaining("'other'");
        }
        assertThatThrownBy(() -> lock.async().tryAcquire(Duration.ZERO, Duration.ZERO))
                .hasMessageContaining("'" + name + "'");
        assertThatThrownBy(() -> lock.lock(Duration.ZERO)).hasMessageContaining("'" + name + "'");
    }

    @Test
    void theShortestAndTheLongestLeaseWork() {
        for (Duration good : new Duration[] {Duration.ofMillis(100), Duration.ofDays(365)}) {
            Await.until("it is acquired, seen and released within the lease", () -> worksWith(good));
        }
        assertThat(SERVERS.keys()).containsExactly(Servers.counterKey());
    }

    private boolean worksWith(Duration lease) {
        try (Lease held = lock.tryAcquire(Duration.ZERO, lease).orElseThrow()) {
            assertThat(held.remainingLease()).isLessThan(lease);
            long left = SERVERS.redis.pttl(name);
            assertThat(left).isLessThanOrEqualTo(lease.toMillis());
            return left > 0;
        } catch (LeaseLostException | StoreUnavailableException e) {
            return false;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    // ---- waits

    static Stream<Duration> waitsThatAreNone() {
        return Stream.of(
                Duration.ZERO,
                Duration.ofNanos(-1),
                Duration.ofSeconds(-1),
                Duration.ofNanos(Long.MIN_VALUE),
                Duration.ofSeconds(Long.MIN_VALUE));
    }

    /** Nobody who waits is without a place in the queue, so without one nobody has waited. */
    @ParameterizedTest
    @MethodSource("waitsThatAreNone")
    void aWaitOfZeroOrLessIsNoWaiting(Duration none) throws Exception {
        try (Lease held = other.lock(name).acquire()) {
            assertThat(lock.tryLock(none)).isFalse();
            assertThat(lock.tryLock(none, Duration.ofSeconds(1))).isFalse();
            assertThat(lock.tryAcquire(none)).isEmpty();
            assertThat(lock.tryAcquire(none, Duration.ofSeconds(1))).isEmpty();
            assertThat(Await.reply(lock.async().tryAcquire(none))).isEmpty();
            assertThat(HolderAnswers.timeout(() -> lock.acquire(none)))
                    .hasMessageContainingAll(
                            "lock '" + name + "'", "held by", other.clientId(), "token " + held.fencingToken());
            assertThatThrownBy(() -> Await.reply(lock.async().acquire(none)))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining("lock '" + name + "'");
            assertThat(SERVERS.keys()).containsExactlyInAnyOrder(name, Servers.counterKey());
        }
        assertThat(lock.tryLock(none)).isTrue();
        lock.unlock();
        lock.acquire(none).close();
        lock.tryAcquire(none).orElseThrow().close();
        Await.reply(lock.async().acquire(none)).close();
        assertThat(SERVERS.keys()).containsExactly(Servers.counterKey());
    }

    @Test
    void theFormWithAUnitDoesNotWaitEither() throws Exception {
        try (Lease held = other.lock(name).acquire()) {
            assertThat(held.isValid()).isTrue();
            assertThat(lock.tryLock(0, TimeUnit.SECONDS)).isFalse();
            assertThat(lock.tryLock(-1, TimeUnit.DAYS)).isFalse();
            assertThat(lock.tryLock(Long.MIN_VALUE, 1_000, TimeUnit.MILLISECONDS))
                    .isFalse();
            assertThat(SERVERS.keys()).containsExactlyInAnyOrder(name, Servers.counterKey());
        }
        assertThat(lock.tryLock(-1, TimeUnit.DAYS)).isTrue();
        lock.unlock();
    }
}
