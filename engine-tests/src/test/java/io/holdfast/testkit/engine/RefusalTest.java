package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Bad input gets a clear error at the call that made it. */
class RefusalTest extends VirtualTime {

    private final DistributedLock lock = a.lock("n");

    private void refusesName(String name, String why) {
        assertThatThrownBy(() -> a.lock(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @Test
    void names() {
        refusesName("", "0 bytes");
        refusesName("x".repeat(513), "513 bytes");
        refusesName("ü".repeat(257), "514 bytes");
        refusesName("a\uD800b", "surrogate");
        refusesName("hf:{n}:q:n", "reserved for the library's own keys");
        assertThat(a.lock("x".repeat(512)).name()).hasSize(512);
        assertThat(a.lock("ü".repeat(256)).tryLock()).isTrue();
        a.lock("ü".repeat(256)).unlock();
    }

    @Test
    void aNameThatIsTooLongIsShownByItsFirstCharacters() {
        assertThatThrownBy(() -> a.lock("x" + "🔒".repeat(128)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("'x" + "🔒".repeat(39) + "'", "1 to 512 are allowed");
    }

    @Test
    void leases() {
        for (Duration bad : new Duration[] {Duration.ZERO, Duration.ofSeconds(-1), Duration.ofMillis(-1)}) {
            assertThatThrownBy(() -> lock.lock(bad))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("use the method without a lease");
        }
        for (Duration bad : new Duration[] {Duration.ofMillis(99), Duration.ofDays(366)}) {
            assertThatThrownBy(() -> lock.lock(bad))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("100 ms to 365 days");
            assertThatThrownBy(() -> lock.tryLock(Duration.ZERO, bad)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> LockOptions.defaults().withLease(bad))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Holdfast.builder().lease(bad)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void uris() {
        assertThatThrownBy(() -> Holdfast.connect("localhost")).hasMessageContaining("no scheme");
        assertThatThrownBy(() -> Holdfast.connect("etcdd://x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'etcdd'")
                .hasMessageContaining("memory");
        assertThatThrownBy(() -> Holdfast.connect("redis://x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("io.holdfast:holdfast-redis");
        assertThatThrownBy(() -> Holdfast.builder().build()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void conditions() {
        assertThatThrownBy(lock::newCondition)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("'n'");
    }

    @Test
    void options() {
        assertThatThrownBy(() -> Holdfast.builder().renewalBatch(0)).hasMessageContaining("1 to 1000");
        assertThatThrownBy(() -> Holdfast.builder().commandTimeout(Duration.ZERO))
                .hasMessageContaining("commandTimeout");
        assertThatThrownBy(() -> Holdfast.builder().name("with blanks")).hasMessageContaining("with blanks");
    }

    @Test
    void aPollIntervalThatWouldCostAWaiterItsPlaceIsRefused() {
        for (Duration bad : new Duration[] {Duration.ofMillis(20_001), Duration.ofMinutes(1), Duration.ZERO}) {
            assertThatThrownBy(() -> Holdfast.builder().pollInterval(bad))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("pollInterval " + bad, "above zero");
        }
        assertThatThrownBy(() -> Holdfast.builder().pollInterval(Duration.ofMinutes(1)))
                .hasMessageContainingAll("at most 20 s", "forgets a waiter that has not asked for 60 s");
        Holdfast.builder().pollInterval(Duration.ofSeconds(20));
    }

    @Test
    void locksAreEqualByClientNameAndOptions() {
        assertThat(a.lock("n")).isEqualTo(lock).hasSameHashCodeAs(lock);
        assertThat(a.lock("m")).isNotEqualTo(lock);
        assertThat(b.lock("n")).isNotEqualTo(lock);
        assertThat(lock.toString()).contains("'n'").contains("not held");
    }
}
