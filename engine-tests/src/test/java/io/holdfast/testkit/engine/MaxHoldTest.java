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
import io.holdfast.WaitStrategy;
import io.holdfast.testkit.SimThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of a hold that lasts for too long. */
class MaxHoldTest extends VirtualTime {

    private static final Duration MOST = Duration.ofSeconds(20);
    private static final Duration SOON = Duration.ofMillis(1100);

    private final List<String> told = new ArrayList<>();

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
    void aThreadIsInterruptedOnceAndItsHoldGoesOnUntilItUnlocks() {
        DistributedLock lock = lock(OnMaxHold.INTERRUPT);
        List<Duration> interrupted = new ArrayList<>();
        SimThread slow = start("slow", () -> {
            lock.lock();
            Duration began = sim.elapsed();
            sim.sleep(LONG);
            interrupted.add(sim.elapsed().minus(began));
            assertThat(Thread.interrupted()).isTrue();
            sim.sleep(LONG);
            assertThat(Thread.interrupted()).as("a second time").isFalse();
            lock.unlock();
        });
        sim.runFor(MOST.multipliedBy(3));
        assertThat(interrupted).hasSize(1);
        assertThat(interrupted.get(0)).isBetween(MOST, MOST.plus(SOON));
        assertThat(isFree()).isFalse();
        slow.join();
        assertThat(events(LockEvent.HeldTooLong.class)).hasSize(1);
        assertThat(events(LockEvent.Lost.class)).isEmpty();
    }

    /** Each is woken by the report of its own scan, so that some unlock before their interrupt is on its way, and some after. */
    @Test
    void aThreadThatHasUnlockedIsLeftInPeace() {
        Map<String, SimThread> threads = new HashMap<>();
        Set<String> reported = new HashSet<>();
        Holdfast c = client(
                "c",
                options -> options.maxHold(MOST, OnMaxHold.INTERRUPT).listener(event -> {
                    if (event instanceof LockEvent.HeldTooLong) {
                        reported.add(event.name());
                        sim.unpark(threads.get(event.name()).realThread());
                    }
                }));
        List<Boolean> inTime = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            DistributedLock lock = c.lock("n" + i);
            Duration later = SOON.multipliedBy(i);
            threads.put(lock.name(), start(lock.name(), () -> {
                sim.sleep(later);
                lock.lock();
                while (!reported.contains(lock.name())
                        && !Thread.currentThread().isInterrupted()) {
                    sim.park(this, LONG.toNanos());
                }
                inTime.add(Thread.interrupted());
                lock.unlock();
                sim.sleep(SOON);
                assertThat(Thread.interrupted()).as("after the unlock").isFalse();
            }));
        }
        threads.values().forEach(SimThread::join);
        assertThat(inTime).contains(true, false).hasSize(40);
    }

    @Test
    void aLeaseIsLostAtOnceAndTheNameIsFreeWhenItIsClosed() throws InterruptedException {
        Lease lease = lock(OnMaxHold.INTERRUPT).acquire();
        var unused = lease.onLost(loss -> told.add(loss.getMessage()));
        sim.runFor(MOST.plus(SOON));
        assertThat(told).hasSize(1).allMatch(text -> text.contains("longer than maxHold"));
        assertThat(lease.isValid()).isFalse();
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
        assertThat(isFree()).as("while the owner may be at work").isFalse();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        sim.runFor(SOON);
        assertThat(isFree()).isTrue();
    }

    @Test
    void aLeaseThatIsNotClosedIsRenewedNoMore() {
        Lease lease = sim.await(lock(OnMaxHold.INTERRUPT).async().acquire());
        sim.runFor(MOST.plus(SOON));
        long renewals = a.stats().renewals();
        sim.runFor(LEASE);
        assertThat(a.stats().renewals()).isEqualTo(renewals);
        assertThat(isFree()).isTrue();
        assertThatThrownBy(() -> sim.await(lease.closeAsync())).isInstanceOf(LeaseLostException.class);
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
        Holdfast c = client("c", options -> options.maxHold(MOST, OnMaxHold.INTERRUPT));
        Lease usual = c.lock("usual").acquire();
        Lease own = c.lock("own", LockOptions.defaults().withMaxHold(MOST)).acquire();
        sim.runFor(MOST.plus(SOON));
        assertThat(usual.isValid()).isFalse();
        assertThat(own.isValid()).isTrue();
        assertThat(events(LockEvent.HeldTooLong.class)).hasSize(2);
        assertThatThrownBy(usual::close).isInstanceOf(LeaseLostException.class);
        own.close();
    }

    @Test
    void whatToDoNeedsATimeAfterWhichToDoIt() {
        assertThatThrownBy(() -> new LockOptions(
                        Optional.empty(),
                        Optional.empty(),
                        OnMaxHold.INTERRUPT,
                        true,
                        WaitStrategy.SIGNALS,
                        Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("INTERRUPT")
                .hasMessageContaining("needs a maxHold");
    }

    @Test
    void ofSeveralReadersOnlyTheOneThatReadsForTooLongIsLost() throws InterruptedException {
        Lease tooLong = a.readWriteLock("n", LockOptions.defaults().withMaxHold(MOST, OnMaxHold.INTERRUPT))
                .readLock()
                .acquire();
        Lease other = a.readWriteLock("n").readLock().acquire();
        assertThat(b.inspect("n").holders()).as("one tenure").hasSize(1);
        sim.runFor(MOST.plus(SOON));
        assertThat(tooLong.isValid()).isFalse();
        assertThat(other.isValid()).isTrue();
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
        assertThatThrownBy(tooLong::close).isInstanceOf(LeaseLostException.class);
        sim.runFor(LEASE.multipliedBy(2));
        assertThat(other.isValid()).isTrue();
        other.close();
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
    }

    private boolean isFreeForWriters() {
        boolean free = b.readWriteLock("n").writeLock().tryLock();
        if (free) {
            b.readWriteLock("n").writeLock().unlock();
        }
        return free;
    }

    private Lease reader(LockOptions options) throws InterruptedException {
        return a.readWriteLock("n", options).readLock().acquire();
    }

    @Test
    void theLastReaderLeavesTheNameToOneThatWasToldToStop() throws InterruptedException {
        Lease tooLong = reader(LockOptions.defaults().withMaxHold(MOST, OnMaxHold.INTERRUPT));
        Lease other = reader(LockOptions.defaults());
        assertThat(b.inspect("n").holders()).as("one tenure").hasSize(1);
        sim.runFor(MOST.plus(SOON));
        assertThat(tooLong.isValid()).isFalse();
        other.close();
        sim.runFor(SOON);
        assertThat(isFreeForWriters()).as("while a reader may be at work").isFalse();
        assertThatThrownBy(tooLong::close).isInstanceOf(LeaseLostException.class);
        sim.runFor(SOON);
        assertThat(isFreeForWriters()).isTrue();
    }

    @Test
    void ofSeveralReadersThatWereToldToStopTheLastFreesTheName() throws InterruptedException {
        LockOptions limited = LockOptions.defaults().withMaxHold(MOST, OnMaxHold.INTERRUPT);
        Lease first = reader(limited);
        Lease second = reader(limited);
        sim.runFor(MOST.plus(SOON));
        assertThat(events(LockEvent.Lost.class)).hasSize(2);
        assertThatThrownBy(first::close).isInstanceOf(LeaseLostException.class);
        sim.runFor(SOON);
        assertThat(isFreeForWriters()).as("while a reader may be at work").isFalse();
        assertThatThrownBy(second::close).isInstanceOf(LeaseLostException.class);
        sim.runFor(SOON);
        assertThat(isFreeForWriters()).isTrue();
    }
}
