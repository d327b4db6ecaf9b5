package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.OnMaxHold;
import io.holdfast.testkit.SimThread;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of a hold that lasts for too long. */
class MaxHoldTest extends VirtualTime {

    private static final Duration MOST = Duration.ofSeconds(20);
    private static final Duration SOON = Duration.ofMillis(1100);

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
    }

    private DistributedLock lock(OnMaxHold then) {
        return a.lock("n", LockOptions.defaults().withMaxHold(MOST, then));
    }

    private boolean isFree() {
        boolean free = b.lock("n").tryLock();
        if (free) {
            b.lock("n").unlock();
        }
        return free;
    }

    @Test
    void whereRenewalStopsAThreadLosesItsHoldAtTheEndOfTheLease() {
        DistributedLock lock = lock(OnMaxHold.STOP_RENEWING);
        lock.lock();
        sim.runFor(MOST.plus(SOON));
        Duration left = lock.remainingLease();
        assertThat(lock.isValid()).isTrue();
        assertThat(left).isBetween(Duration.ofSeconds(10), LEASE);
        long renewals = a.stats().renewals();
        sim.runFor(left.minusMillis(1));
        assertThat(lock.isValid()).isTrue();
        assertThat(isFree()).isFalse();
        sim.runFor(Duration.ofMillis(2));
        assertThat(lock.isValid()).isFalse();
        assertThat(a.stats().renewals()).isEqualTo(renewals);
        assertThat(events(LockEvent.Lost.class))
                .extracting(LockEvent.Lost::reason)
                .containsExactly("it was held for longer than maxHold, and its lease has ended");
        sim.runFor(SOON);
        assertThat(isFree()).isTrue();
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void noLevelMovesAnEndThatIsFixed() {
        DistributedLock lock = lock(OnMaxHold.STOP_RENEWING);
        lock.lock(Duration.ofMinutes(1));
        sim.runFor(MOST.plus(SOON));
        Duration left = lock.remainingLease();
        lock.lock(Duration.ofMinutes(10));
        lock.lock();
        assertThat(lock.remainingLease()).isEqualTo(left);
        lock.unlock();
        lock.unlock();
        assertThat(lock.remainingLease()).isEqualTo(left);
        sim.runFor(left);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aRenewalUnderWayDoesNotMoveItEither() {
        DistributedLock lock = lock(OnMaxHold.STOP_RENEWING);
        lock.lock();
        sim.runFor(MOST.plus(SOON));
        Duration left = lock.remainingLease();
        sim.stepWallClock(Duration.ofMinutes(1));
        sim.runFor(Duration.ofSeconds(2));
        assertThat(lock.isValid()).as("verified after the step").isTrue();
        assertThat(lock.remainingLease()).isLessThan(left);
        sim.runFor(left);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aLeaseWhoseEndIsFixedCannotBeExtendedAndSaysWhy() throws InterruptedException {
        Lease lease = lock(OnMaxHold.STOP_RENEWING)
                .tryAcquire(Duration.ZERO, Duration.ofMinutes(1))
                .orElseThrow();
        sim.runFor(MOST.plus(SOON));
        assertThatThrownBy(() -> lease.extend(Duration.ofMinutes(2)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'n'")
                .hasMessageContaining("maxHold");
        assertThat(lease.isValid()).isTrue();
        lease.close();
    }

    @Test
    void aLeaseWhoseEndIsFixedIsNotMadeValidForLonger() throws InterruptedException {
        Lease lease = lock(OnMaxHold.STOP_RENEWING).acquire();
        sim.runFor(MOST.plus(SOON));
        Duration left = lease.remainingLease();
        assertThatThrownBy(() -> lease.ensureValid(left.plusSeconds(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("maxHold");
        lease.ensureValid(left.minusSeconds(1));
        lease.close();
    }

    @Test
    void theNextOwnerInTheProcessIsRenewedAgain() {
        DistributedLock lock = lock(OnMaxHold.STOP_RENEWING);
        lock.lock();
        sim.runFor(MOST.plus(SOON));
        SimThread next = start("next", () -> {
            a.lock("n").lock();
            sim.sleep(LONG);
            a.lock("n").unlock();
        });
        sim.runReady();
        lock.unlock();
        next.join();
        assertThat(events(LockEvent.Lost.class)).isEmpty();
    }

    @Test
    void theClientsChoiceIsForLocksWithoutOneOfTheirOwn() throws InterruptedException {
        Holdfast c = client("c", options -> options.maxHold(MOST, OnMaxHold.STOP_RENEWING));
        Lease usual = c.lock("usual").acquire();
        Lease own = c.lock("own", LockOptions.defaults().withMaxHold(MOST)).acquire();
        sim.runFor(MOST.plus(SOON).plus(LEASE));
        assertThat(usual.isValid()).isFalse();
        assertThat(own.isValid()).isTrue();
        assertThat(events(LockEvent.HeldTooLong.class)).hasSize(2);
        assertThatThrownBy(usual::close).isInstanceOf(LeaseLostException.class);
        own.close();
    }

    @Test
    void whatToDoNeedsATimeAfterWhichToDoIt() {
        assertThatThrownBy(() -> new LockOptions(
                        Optional.empty(), Optional.empty(), OnMaxHold.STOP_RENEWING, true, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("STOP_RENEWING")
                .hasMessageContaining("needs a maxHold");
    }

    @Test
    void ofSeveralReadersOnlyTheOneThatReadsForTooLongIsLost() throws InterruptedException {
        Lease tooLong = a.readWriteLock("n", LockOptions.defaults().withMaxHold(MOST, OnMaxHold.STOP_RENEWING))
                .readLock()
                .acquire();
        Lease other = a.readWriteLock("n").readLock().acquire();
        sim.runFor(MOST.plus(SOON).plus(LEASE));
        assertThat(tooLong.isValid()).isFalse();
        assertThat(other.isValid()).isTrue();
        assertThatThrownBy(tooLong::close).isInstanceOf(LeaseLostException.class);
        sim.runFor(LEASE.multipliedBy(2));
        assertThat(other.isValid()).isTrue();
        other.close();
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
    }
}
