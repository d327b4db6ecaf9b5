package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What must be true of all servers that do not do what they are asked. */
final class Refusals {

    private static final Duration LONG = Duration.ofSeconds(20);

    private Refusals() {}

    static Holdfast connect(String uri) {
        return Holdfast.builder()
                .uri(uri)
                .pollInterval(Duration.ofMillis(200))
                .connectTimeout(Duration.ofSeconds(2))
                .build();
    }

    static void assertConnects(String uri) {
        assertThatCode(() -> connect(uri).close()).doesNotThrowAnyException();
    }

    static AbstractThrowableAssert<?, ? extends Throwable> assertThrows(
            Class<? extends HoldfastException> kind, DistributedLock lock, ThrowingCallable call) {
        return assertThatThrownBy(call)
                .isInstanceOf(kind)
                .isInstanceOfSatisfying(
                        HoldfastException.class, e -> assertThat(e.name()).isEqualTo(lock.name()))
                .hasMessageContainingAll("lock '" + lock.name() + "'", "Redis at redis://127.0.0.1:");
    }

    /** Renews a lease of 30 s: asks for more than is left without a renewal, until one proves it. */
    static void renew(Supplier<Duration> remainingLease, Consumer<Duration> ensureValid) {
        Duration much = Duration.ofSeconds(29);
        Await.until("a renewal is needed", () -> remainingLease.get().compareTo(much) < 0);
        Await.until("it is renewed", () -> {
            try {
                ensureValid.accept(much);
                return true;
            } catch (StoreUnavailableException e) {
                // the answer took so long that less is left
                return false;
            }
        });
    }

    /** The unlock ends the hold for its caller; the store is told when it listens again. */
    static void assertUnlockGoesOn(Holdfast owner, DistributedLock lock) {
        assertThatCode(lock::unlock).doesNotThrowAnyException();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(owner.stats().unsettled()).isEqualTo(1);
    }

    static void assertWorksAndNothingIsLeft(Servers servers, Holdfast owner) throws InterruptedException {
        Await.until("all releases are confirmed", () -> owner.stats().unsettled() == 0);
        for (String name : new String[] {"held", "free"}) {
            assertThat(owner.lock(name).tryLock(LONG)).isTrue();
            owner.lock(name).unlock();
            assertThat(servers.keysOf(name)).isEmpty();
        }
    }
}
