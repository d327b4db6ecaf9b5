package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.ClientHealth;
import io.holdfast.HoldfastException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The health of a client says since when the store does not answer, and how long the holds last. */
class HealthTest extends VirtualTime {

    @Test
    void aClientThatHoldsNothing() {
        assertThat(a.health()).isEqualTo(new ClientHealth(Optional.empty(), 0, Optional.empty()));
    }

    @Test
    void theFirstHoldToEndCounts() throws InterruptedException {
        a.lock("long").lock();
        a.lock("short").tryLock(Duration.ZERO, Duration.ofSeconds(1));
        assertThat(a.health().shortestLease().orElseThrow()).isBetween(Duration.ofMillis(900), Duration.ofSeconds(1));
        a.lock("short").unlock();
        assertThat(a.health().shortestLease().orElseThrow()).isGreaterThan(Duration.ofSeconds(20));
        a.lock("long").unlock();
    }

    @Test
    void anOutageBeginsWithTheFirstFailureAndEndsWithAnAnswer() {
        a.lock("n").lock();
        faults(a).outage(true);
        sim.runFor(LEASE.dividedBy(3).plusSeconds(3));
        Instant since = a.health().failingSince().orElseThrow();
        sim.runFor(LEASE.dividedBy(3).plusSeconds(2));
        assertThat(a.health().failingSince()).contains(since);
        assertThat(a.health().lateRenewals()).isOne();
        assertThat(a.stats().renewalFailures()).isPositive();
        faults(a).outage(false);
        sim.runFor(Duration.ofSeconds(4));
        assertThat(a.health().failingSince()).isEmpty();
        assertThat(a.health().lateRenewals()).isZero();
        a.lock("n").unlock();
    }

    @Test
    void anAnswerOtherThanAGrantIsAnAnswer() {
        faults(a).outage(true);
        assertThatThrownBy(a.lock("n")::lock).isInstanceOf(HoldfastException.class);
        assertThat(a.health().failingSince()).isPresent();
        faults(a).outage(false);
        assertThat(a.lock("n").isLocked()).isFalse();
        assertThat(a.health().failingSince()).isEmpty();
        assertNothingIsLeft();
    }

    @Test
    void aStepOfTheWallClockIsCounted() {
        a.lock("n").lock();
        sim.runFor(Duration.ofSeconds(2));
        long before = a.stats().clockSteps();
        sim.stepWallClock(Duration.ofMinutes(1));
        sim.runFor(Duration.ofSeconds(2));
        assertThat(a.stats().clockSteps()).isEqualTo(before + 1);
        a.lock("n").unlock();
    }
}
