package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Work that one of several nodes does, once in a while. */
class RunOnceTest extends VirtualTime {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration BRIEF = Duration.ofSeconds(5);
    private static final Duration MILLI = Duration.ofMillis(1);
    private static final Duration POLL = Duration.ofMillis(1100);

    private final DistributedLock lock = a.lock("n");
    private final DistributedLock other = b.lock("n");
    private final List<Duration> runs = new ArrayList<>();

    @BeforeEach
    void firstContact() {
        lock.lock();
        lock.unlock();
        other.lock();
        other.unlock();
    }

    @AfterEach
    void nothingIsLeft() {
        sim.runFor(HOUR.plus(LEASE));
        assertNothingIsLeft();
        assertThat(events(LockEvent.Abandoned.class)).isEmpty();
    }

    private void body() {
        runs.add(sim.elapsed());
    }

    private boolean isFree() {
        boolean free = other.tryLock();
        if (free) {
            other.unlock();
        }
        return free;
    }

    @Test
    void ofTwoNodesWhoseClocksDifferOneRunsInEachPeriod() {
        Duration period = Duration.ofMinutes(10);
        Duration minHold = Duration.ofMinutes(9);
        for (Holdfast node : List.of(a, b)) {
            start(node.toString(), () -> {
                sim.sleep(node.equals(a) ? Duration.ZERO : Duration.ofSeconds(20));
                for (int i = 0; i < 5; i++) {
                    var unused = node.lock("job").runOnce(minHold, this::body);
                    sim.sleep(period);
                }
            });
        }
        sim.runThreads();
        assertThat(runs).hasSize(5);
        assertThat(events(LockEvent.Lost.class)).isEmpty();
    }

    @Test
    void theNameIsKeptForAsLongAsSaidAndThenFreedAtOnce() {
        for (Duration minHold : List.of(BRIEF, HOUR)) {
            assertThat(lock.runOnce(minHold, this::body)).isTrue();
            assertThat(lock.isHeldByCurrentThread()).isFalse();
            assertThat(lock.runOnce(minHold, this::body)).as("once more").isFalse();
            assertThat(lock.tryLock()).as("the same thread").isFalse();
            assertThat(other.holder().orElseThrow().owner().orElseThrow())
                    .startsWith("reserved by runOnce until 2")
                    .contains("started by thread ");
            sim.runFor(minHold.minus(MILLI));
            assertThat(isFree()).isFalse();
            sim.runFor(MILLI.multipliedBy(2));
            assertThat(isFree()).isTrue();
        }
        assertThat(runs).hasSize(2);
        assertThat(events(LockEvent.Lost.class)).isEmpty();
    }

    @Test
    void whatIsKeptIsForgottenHereAndCostsOneRelease() {
        lock.runOnce(BRIEF, this::body);
        assertThat(a.stats().held()).isZero();
        assertThat(a.stats().unsettled()).isZero();
        long before = calls(a);
        sim.runFor(BRIEF.plus(HOUR));
        assertThat(calls(a) - before).isEqualTo(1);
    }

    @Test
    void aBodyThatTakesLongerIsRenewedAndReleasesAtItsEnd() {
        assertThat(lock.runOnce(BRIEF, () -> {
                    sim.runFor(LONG);
                    assertThat(isFree()).isFalse();
                    assertThat(lock.isValid()).isTrue();
                }))
                .isTrue();
        assertThat(isFree()).isTrue();
        assertThat(a.stats().renewals()).isPositive();
    }

    @Test
    void whileTheBodyRunsTheThreadHoldsTheLock() {
        lock.runOnce(HOUR, () -> {
            assertThat(lock.fencingToken()).isPositive();
            lock.run(() -> assertThat(lock.holdCount()).isEqualTo(2));
            sim.runFor(LONG);
            assertThat(lock.remainingLease()).isGreaterThan(LEASE);
        });
        assertThat(lock.holdCount()).isZero();
    }

    @Test
    void theNameIsKeptAfterTheClientWasClosed() {
        Holdfast c = client("c");
        c.lock("n").runOnce(HOUR, this::body);
        c.close();
        sim.runFor(HOUR.minus(POLL));
        assertThat(isFree()).isFalse();
        sim.runFor(POLL.plus(MILLI));
        assertThat(isFree()).as("no renewal has made the lease longer").isTrue();
    }

    @Test
    void theNameIsKeptAfterTheClientWasClosedInTheBody() {
        Holdfast c = client("c");
        assertThatThrownBy(() -> c.lock("n").runOnce(BRIEF, c::close)).isInstanceOf(IllegalStateException.class);
        sim.runFor(BRIEF.minus(MILLI));
        assertThat(isFree()).isFalse();
        sim.runFor(LEASE);
        assertThat(isFree()).isTrue();
    }

    @Test
    void aBodyThatRanForLongEnoughIsReleasedWhenTheClientIsClosed() {
        Holdfast c = client("c");
        assertThatThrownBy(() -> c.lock("n").runOnce(BRIEF, () -> {
                    sim.runFor(BRIEF);
                    c.close();
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(isFree()).isTrue();
    }

    @Test
    void theNameIsKeptAfterTheProcessEndedButAtMostALeaseLonger() {
        lock.runOnce(Duration.ofMinutes(1), () -> sim.runFor(Duration.ofSeconds(55)));
        faults(a).outage(true);
        sim.runFor(Duration.ofSeconds(4));
        assertThat(isFree()).isFalse();
        sim.runFor(Duration.ofSeconds(1).plus(LEASE));
        assertThat(isFree()).isTrue();
        faults(a).outage(false);
    }

    @Test
    void aFailingBodyKeepsTheNameToo() {
        IllegalArgumentException error = new IllegalArgumentException("of the body");
        assertThatThrownBy(() -> lock.runOnce(BRIEF, () -> {
                    throw error;
                }))
                .isSameAs(error)
                .hasNoSuppressedExceptions();
        assertThat(isFree()).isFalse();
        sim.runFor(BRIEF.plus(MILLI));
        assertThat(isFree()).isTrue();
    }

    @Test
    void aLossIsToldAndNothingIsKeptAfterIt() {
        IllegalArgumentException error = new IllegalArgumentException("of the body");
        Runnable loses = () -> {
            b.lock("n").forceUnlock();
            sim.runFor(POLL);
        };
        assertThatThrownBy(() -> lock.runOnce(HOUR, loses)).isInstanceOf(LeaseLostException.class);
        assertThat(isFree()).isTrue();
        Throwable thrown = catchThrowable(() -> lock.runOnce(HOUR, () -> {
            loses.run();
            throw error;
        }));
        assertThat(thrown).isSameAs(error);
        assertThat(thrown.getSuppressed()).hasOnlyElementsOfType(LeaseLostException.class);
        assertThat(events(LockEvent.Lost.class)).hasSize(2);
    }

    @Test
    void tellsALossThatIsNotNoticedBeforeTheEndOfTheBody() {
        assertThatThrownBy(() -> lock.runOnce(HOUR, server::wipe)).isInstanceOf(LeaseLostException.class);
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
        assertThat(isFree()).isTrue();
    }

    @Test
    void tellsALossThatTheStoreReportsAfterAShortOutage() {
        faults(a).next(Operation.RENEW, Fault.FAIL_BEFORE);
        faults(a).next(Operation.RENEW, Fault.FAIL_BEFORE);
        assertThatThrownBy(() -> lock.runOnce(HOUR, server::wipe)).isInstanceOf(LeaseLostException.class);
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
    }

    @Test
    void keepsTheNameThoughTheStoreDoesNotAnswerAtTheEndOfTheBody() {
        assertThat(lock.runOnce(HOUR, () -> faults(a).outage(true))).isTrue();
        faults(a).outage(false);
        assertThat(isFree()).isFalse();
        sim.runFor(HOUR);
        assertThat(isFree()).isTrue();
        assertThat(events(LockEvent.Lost.class)).isEmpty();
    }

    @Test
    void whoHasTheLockDoesNotRun() throws InterruptedException {
        other.lock();
        Duration before = sim.elapsed();
        assertThat(lock.runOnce(HOUR, this::body)).isFalse();
        assertThat(sim.elapsed()).isEqualTo(before);
        other.unlock();
        try (Lease lease = lock.acquire()) {
            assertThat(lock.runOnce(HOUR, this::body)).isFalse();
            assertThat(lease.isValid()).isTrue();
        }
        lock.lock();
        assertThatThrownBy(() -> lock.runOnce(HOUR, this::body))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'n'")
                .hasMessageContaining("already holds it");
        lock.unlock();
        assertThat(runs).isEmpty();
    }

    @Test
    void aBodyThatUnlocksIsTold() {
        assertThatThrownBy(() -> lock.runOnce(HOUR, lock::unlock))
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("is not held by thread");
        assertThat(isFree()).isTrue();
    }

    @Test
    void whoWaitsIsServedWhenTheTimeIsUp() {
        lock.runOnce(BRIEF, () -> {
            for (DistributedLock each : Set.of(lock, other)) {
                start("waiter of " + each, () -> {
                    each.lock();
                    body();
                    each.unlock();
                });
            }
            sim.runFor(Duration.ofSeconds(1));
        });
        Duration freed = sim.elapsed().plus(BRIEF).minusSeconds(1);
        sim.runThreads();
        assertThat(runs).hasSize(2).allMatch(at -> at.compareTo(freed) >= 0 && at.compareTo(freed.plus(POLL)) <= 0);
    }

    @Test
    void whatMayHaveBeenGrantedWithoutARunIsNotKept() {
        faults(a).next(Operation.ACQUIRE, Fault.DROP_REPLY);
        faults(a).next(Operation.ACQUIRE, Fault.DROP_REPLY);
        assertThatThrownBy(() -> lock.runOnce(HOUR, this::body)).isInstanceOf(IndeterminateLockException.class);
        sim.runFor(Duration.ofSeconds(10));
        assertThat(runs).isEmpty();
        assertThat(isFree()).isTrue();
    }

    @Test
    @SuppressWarnings("NullAway")
    void badArgumentsThrowBeforeTheLockIsTaken() {
        long before = calls(a);
        for (Duration bad : List.of(Duration.ZERO, Duration.ofMillis(99), Duration.ofDays(366))) {
            assertThatThrownBy(() -> lock.runOnce(bad, this::body))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'n'")
                    .hasMessageContaining("minHold " + bad)
                    .hasMessageContaining("100 ms to 365 days");
        }
        assertThatThrownBy(() -> lock.runOnce(HOUR, null)).isInstanceOf(NullPointerException.class);
        assertThat(calls(a)).isEqualTo(before);
    }

    @Test
    void theCloseOfTheClientIsToldWithTheTimeForWhichTheNameStaysTaken() {
        assertThatThrownBy(() -> lock.runOnce(HOUR, a::close))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("'n'", "closed during runOnce", "stays taken", "in 3600000 ms");
        assertThat(isFree()).isFalse();
    }
}
