package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LockOptions;
import io.holdfast.recipes.LeaderElection;
import io.holdfast.recipes.QuorumOptions;
import io.holdfast.recipes.SegmentedLock;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What lingers, for how long, and what does not. */
class LingerOptionsTest extends VirtualTime {

    private static final LockOptions TEN = LockOptions.defaults().withLinger(Duration.ofSeconds(10));

    @Test
    void byDefaultNothingLingers() {
        assertThat(LockOptions.defaults().linger()).isZero();
        assertThat(TEN.withLinger(Duration.ZERO)).isEqualTo(LockOptions.defaults());
    }

    @Test
    void itIsNotNegative() {
        assertThatThrownBy(() -> LockOptions.defaults().withLinger(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("linger PT-1S is out of range: zero for none, at most a third of the lease");
        assertThatThrownBy(() -> LockOptions.defaults().withLinger(Duration.ofDays(366)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void itIsAThirdOfTheLocksLeaseAtMost() {
        LockOptions brief = LockOptions.defaults().withLease(Duration.ofSeconds(3));
        assertThat(brief.withLinger(Duration.ofSeconds(1)).linger()).isEqualTo(Duration.ofSeconds(1));
        String text = "linger PT1.000000001S is longer than a third of the lease PT3S: at most PT1S";
        assertThatThrownBy(() -> brief.withLinger(Duration.ofNanos(1_000_000_001)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(text);
        assertThatThrownBy(() -> LockOptions.defaults()
                        .withLinger(Duration.ofNanos(1_000_000_001))
                        .withLease(Duration.ofSeconds(3)))
                .hasMessage(text);
    }

    @Test
    void itIsAThirdOfTheClientsLeaseAtMost() {
        assertThat(a.lock("n", TEN).name()).isEqualTo("n");
        assertThatThrownBy(() -> a.lock("n", TEN.withLinger(Duration.ofSeconds(11))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("lock 'n': linger PT11S is longer than a third of the lease PT30S: at most PT10S");
    }

    private static Stream<Consumer<LingerOptionsTest>> others() {
        return Stream.of(
                test -> test.a.fairLock("n", TEN),
                test -> test.a.readWriteLock("n", TEN),
                test -> test.a.semaphore("n", TEN),
                test -> test.a.fairSemaphore("n", TEN),
                test -> SegmentedLock.of(test.a, "n", 2, TEN),
                test -> LeaderElection.of(test.a, "n", TEN));
    }

    @ParameterizedTest
    @MethodSource("others")
    void itIsForThePlainLockAlone(Consumer<LingerOptionsTest> call) {
        assertThatThrownBy(() -> call.accept(this))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'n': linger PT10S is for lock(name) only");
    }

    @Test
    void itIsNotForAQuorumLock() {
        assertThatThrownBy(() -> QuorumOptions.defaults().withLock(TEN))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("linger PT10S is not supported by a quorum lock");
    }

    @Test
    void theNameAndTheClientAreLookedAtFirst() {
        LockOptions tooLong = TEN.withLinger(Duration.ofSeconds(11));
        assertThatThrownBy(() -> a.lock("", tooLong)).hasMessageStartingWith("lock name has 0 bytes");
        a.close();
        assertThatThrownBy(() -> a.lock("n", tooLong)).isInstanceOf(IllegalStateException.class);
    }
}
