package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.IndeterminateLockException;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.Permit;
import io.holdfast.PermitHolder;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Permits of a semaphore: never more than there are, back after a crash, and in order where that is asked for. */
class SemaphoreTest extends VirtualTime {

    private static final Duration SHORT = Duration.ofMillis(1);
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final Duration CLAIM_WINDOW = Duration.ofSeconds(1);

    private final DistributedSemaphore atA = a.semaphore("n");
    private final DistributedSemaphore atB = b.semaphore("n");
    private final List<String> order = new ArrayList<>();
    private final List<SimThread> others = new ArrayList<>();

    @AfterEach
    void allPermitsAreBack() {
        others.forEach(SimThread::join);
        assertNothingIsLeft();
        sim.runFor(LEASE.plus(CLAIM_WINDOW));
        assertThat(atA.holders()).isEmpty();
        assertThat(atA.available()).isEqualTo(atA.permits());
    }

    /** A thread that acquires, notes that it has, and gives back after the work; it has acquired or waits when this returns. */
    private SimThread other(String name, DistributedSemaphore semaphore, int permits, Duration work) {
        SimThread other = start(name, () -> {
            try (Permit permit = semaphore.acquire(permits)) {
                order.add(name);
                assertThat(permit.count()).isEqualTo(permits);
                sim.sleep(work);
            }
        });
        others.add(other);
        sim.runFor(SHORT);
        return other;
    }

    // ---- how many

    @Test
    void neverMoreAreOutThanThereAre() {
        atA.trySetPermits(2);
        Permit first = atA.tryAcquire().orElseThrow();
        Permit second = atB.tryAcquire().orElseThrow();

        assertThat(atA.tryAcquire()).isEmpty();
        assertThat(atB.tryAcquire()).isEmpty();
        assertThat(atA.available()).isZero();
        assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());

        first.close();
        assertThat(atB.available()).isEqualTo(1);
        first.close();
        assertThat(atB.available()).as("closed twice").isEqualTo(1);
        second.close();
    }

    @Test
    void theFirstToSetThePermitsWins() {
        assertThat(atA.permits()).isZero();
        assertThat(atA.trySetPermits(3)).isTrue();
        assertThat(atB.trySetPermits(9)).isFalse();
        assertThat(atB.permits()).isEqualTo(3);
        atB.setPermits(9);
        assertThat(atA.permits()).isEqualTo(9);
    }

    @Test
    void severalPermitsAreOneLease() {
        atA.trySetPermits(5);
        Permit three = atA.tryAcquire(3).orElseThrow();

        assertThat(atB.tryAcquire(3)).isEmpty();
        assertThat(atB.available()).isEqualTo(2);
        sim.runFor(LEASE.multipliedBy(3));
        assertThat(three.isValid()).as("renewed").isTrue();
        three.close();
        assertThat(atB.available()).isEqualTo(5);
    }

    @Test
    void fewerPermitsThanAreHeldTakeNothingAway() {
        atA.trySetPermits(3);
        Permit two = atA.tryAcquire(2).orElseThrow();
        Permit one = atB.tryAcquire().orElseThrow();

        atA.addPermits(-2);

        assertThat(atA.permits()).isEqualTo(1);
        assertThat(atA.available()).isEqualTo(-2);
        sim.runFor(LEASE);
        assertThat(two.isValid()).isTrue();
        assertThat(one.isValid()).isTrue();
        one.close();
        assertThat(atA.available()).isEqualTo(-1);
        assertThat(atB.tryAcquire()).isEmpty();
        two.close();
        assertThat(atA.available()).isEqualTo(1);
    }

    @Test
    void morePermitsAreForThoseWhoWait() {
        atA.trySetPermits(2);
        Permit held = atA.tryAcquire().orElseThrow();
        other("b", atB, 2, PAUSE);
        assertThat(order).isEmpty();
        atA.addPermits(1);
        sim.runFor(SHORT);
        assertThat(order).containsExactly("b");
        held.close();
    }

    @Test
    void drainTakesAllThatAreFreeAndNothingElse() {
        atA.trySetPermits(5);
        Permit held = atB.tryAcquire(2).orElseThrow();

        Permit drained = atA.drain().orElseThrow();

        assertThat(drained.count()).isEqualTo(3);
        assertThat(atA.available()).isZero();
        assertThat(atA.drain()).isEmpty();
        assertThat(held.isValid()).isTrue();
        drained.close();
        held.close();
    }

    @Test
    void aRequestForMoreThanThereAreIsRefusedAndOneThatCannotBeMetAnyMoreToo() {
        atA.trySetPermits(3);
        assertThatThrownBy(() -> atA.acquire(4))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("semaphore 'n' has 3 permits in all, and 4 were requested");
        Permit held = atA.tryAcquire(2).orElseThrow();
        CompletableFuture<Permit> waiting = atB.async().acquire(3);
        sim.runFor(SHORT);
        atA.setPermits(2);
        sim.runFor(Duration.ofSeconds(2));
        assertThat(waiting)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(StoreRefusedException.class);
        held.close();
    }

    @Test
    void aSemaphoreWithoutPermitsSaysSo() {
        assertThatThrownBy(atA::tryAcquire)
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("semaphore 'n' has no permits yet: call trySetPermits first");
        assertThatThrownBy(() -> atA.addPermits(1))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("has no permits yet");
        assertThatThrownBy(() -> atA.acquire(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("semaphore 'n': 0 permits are out of range: at least 1");
        assertThatThrownBy(() -> atA.setPermits(-1)).isInstanceOf(IllegalArgumentException.class);
        atA.trySetPermits(2);
        assertThatThrownBy(() -> atA.addPermits(-2))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("2 permits in all, which cannot become 0");
    }

    @Test
    void isForgottenOnlyWhenNobodyUsesIt() {
        atA.trySetPermits(1);
        Permit held = atA.tryAcquire().orElseThrow();
        long token = held.fencingToken();
        assertThat(atB.delete()).isFalse();
        held.close();
        assertThat(atB.delete()).isTrue();
        assertThat(atB.delete()).isFalse();
        assertThat(atA.trySetPermits(1)).isTrue();
        Permit later = atA.tryAcquire().orElseThrow();
        assertThat(later.fencingToken()).isGreaterThan(token);
        later.close();
    }

    // ---- who holds, and taking away

    @Test
    void saysWhoHoldsWhat() {
        atA.trySetPermits(5);
        Permit two = atA.tryAcquire(2).orElseThrow();
        Permit one = atB.tryAcquire().orElseThrow();

        List<PermitHolder> holders = atA.holders();

        assertThat(holders).extracting(PermitHolder::id).containsExactlyInAnyOrder(two.id(), one.id());
        PermitHolder ofB = holders.stream()
                .filter(h -> h.id().equals(one.id()))
                .findFirst()
                .orElseThrow();
        assertThat(ofB.count()).isEqualTo(1);
        assertThat(ofB.client().id()).isEqualTo(b.clientId());
        assertThat(ofB.remainingLease()).isBetween(LEASE.minusSeconds(1), LEASE);
        two.close();
        one.close();
    }

    @Test
    void aPermitIsGivenBackByItsIdAndTheHolderIsTold() {
        atA.trySetPermits(2);
        Permit held = atA.tryAcquire(2).orElseThrow();

        atB.release(held.id());

        assertThat(atB.available()).isEqualTo(2);
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
        assertThat(held.isValid()).isFalse();
        assertThatThrownBy(held::close).isInstanceOf(LeaseLostException.class);
        assertThat(atB.available()).isEqualTo(2);
    }

    @Test
    void whatIsNotHeldCannotBeGivenBack() {
        atA.trySetPermits(2);
        Permit held = atA.tryAcquire().orElseThrow();
        String id = held.id();
        held.close();

        assertThatThrownBy(() -> atB.release(id))
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("permit '" + id + "' is not held");
        assertThatThrownBy(() -> atB.release("anything"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'anything' is not the id of a permit");
        assertThat(atA.available()).isEqualTo(2);
        assertThat(atA.permits()).isEqualTo(2);
    }

    @Test
    void theNameIsNotThatOfALock() {
        atA.trySetPermits(1);
        a.lock("n").lock();
        Permit permit = atA.tryAcquire().orElseThrow();
        assertThat(a.lock("n").holder())
                .hasValueSatisfying(holder -> assertThat(holder.owner()).isPresent());
        assertThat(b.lock("n").tryLock()).isFalse();
        a.lock("n").unlock();
        assertThat(b.lock("n").tryLock()).isTrue();
        assertThat(atB.tryAcquire()).isEmpty();
        b.lock("n").unlock();
        permit.close();
    }

    // ---- waiting

    @Test
    void aReleaseServesThoseWhoWaitInTheirOrderByOneCommand() {
        atA.trySetPermits(3);
        Permit held = atA.tryAcquire(3).orElseThrow();
        other("b2", atB, 2, SHORT);
        other("a1", atA, 1, SHORT);
        other("a1 again", atA, 1, SHORT);
        long before = calls(a) + calls(b);

        held.close();
        sim.runFor(Duration.ZERO);

        assertThat(order).containsExactly("b2", "a1");
        others.forEach(SimThread::join);
        assertThat(order).containsExactly("b2", "a1", "a1 again");
        // the release, one by each who was served, and what "a1 again" asks when it is the first here
        assertThat(calls(a) + calls(b) - before).isEqualTo(5);
    }

    @Test
    void whoComesLaterMayTakeWhatIsFree() {
        atA.trySetPermits(3);
        Permit held = atA.tryAcquire(2).orElseThrow();
        other("wants two", atB, 2, SHORT);
        other("wants one", atA, 1, SHORT);
        sim.runFor(PAUSE);
        assertThat(order).containsExactly("wants one");
        held.close();
    }

    @Test
    void nobodyOvertakesInAFairSemaphore() {
        atA.trySetPermits(3);
        DistributedSemaphore fair = b.fairSemaphore("n");
        Permit held = a.fairSemaphore("n").tryAcquire(2).orElseThrow();
        other("wants two", fair, 2, PAUSE);
        other("wants one", fair, 1, PAUSE);
        other("barges", atA, 1, PAUSE);
        sim.runFor(Duration.ofSeconds(5));
        assertThat(order).isEmpty();
        assertThat(atA.tryAcquire()).isEmpty();
        assertThat(fair.tryAcquire()).isEmpty();

        held.close();
        sim.runFor(SHORT);
        assertThat(order).containsExactly("wants two", "wants one");
        others.forEach(SimThread::join);
        assertThat(order).containsExactly("wants two", "wants one", "barges");
    }

    @Test
    void whoGivesUpLeavesNothingBehind() throws InterruptedException {
        atA.trySetPermits(1);
        Permit held = atA.tryAcquire().orElseThrow();
        CompletableFuture<Permit> cancelled = atB.async().acquire();
        assertThat(atB.tryAcquire(1, PAUSE)).isEmpty();
        SimThread interrupted = start(
                "interrupted",
                () -> assertThatThrownBy(b.fairSemaphore("n")::acquire).isInstanceOf(InterruptedException.class));
        sim.runFor(SHORT);
        interrupted.interrupt();
        cancelled.cancel(true);
        interrupted.join();

        held.close();
        sim.runFor(SHORT);

        assertThat(atA.available()).isEqualTo(1);
    }

    // ---- crashes and lost answers

    @Test
    void thePermitsOfADeadClientComeBackWithItsLease() {
        atA.trySetPermits(2);
        Permit held = atA.tryAcquire(2).orElseThrow();
        CompletableFuture<Permit> waiting = atB.async().acquire(2);
        faults(a).outage(true);

        sim.runFor(LEASE.plusSeconds(2));

        assertThat(held.isValid()).isFalse();
        assertThat(waiting).isCompleted();
        faults(a).outage(false);
        waiting.join().close();
        assertThatThrownBy(held::close)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageStartingWith("semaphore 'n': ")
                .hasMessageContaining("Another owner may hold the permit");
    }

    @Test
    void aDeadWaiterCostsAClaimWindow() {
        atA.trySetPermits(1);
        Permit held = atA.tryAcquire().orElseThrow();
        CompletableFuture<Permit> dead = atB.async().acquire();
        CompletableFuture<Permit> next = atA.async().acquire();
        sim.runFor(SHORT);
        faults(b).outage(true);

        held.close();
        sim.runFor(CLAIM_WINDOW.multipliedBy(2));

        assertThat(next).isCompleted();
        faults(b).outage(false);
        next.join().close();
        sim.runFor(CLAIM_WINDOW.multipliedBy(2));
        dead.join().close();
    }

    @Test
    void aForgottenPermitIsNotRenewed() {
        atA.trySetPermits(1);
        forget();
        for (int i = 0; i < 50 && events(LockEvent.Abandoned.class).isEmpty(); i++) {
            System.gc();
            sim.runFor(Duration.ofSeconds(1));
        }
        assertThat(events(LockEvent.Abandoned.class)).hasSize(1);
        sim.runFor(LEASE);
        assertThat(atB.available()).isEqualTo(1);
    }

    private void forget() {
        Permit permit = atA.tryAcquire().orElseThrow();
        permit.onLost(loss -> permit.close());
    }

    @Test
    void anAnswerThatWasLostHandsOutNothingTwice() {
        atA.trySetPermits(2);
        faults(a).next(Operation.ACQUIRE, Fault.FAIL_AFTER);
        Permit held = atA.tryAcquire().orElseThrow();
        assertThat(atB.available()).isEqualTo(1);
        faults(a).next(Operation.RELEASE, Fault.DOUBLE_REQUEST);
        held.close();
        sim.runFor(Duration.ofSeconds(10));
        assertThat(atB.available()).isEqualTo(2);
    }

    @Test
    void permitsAreAddedOnceThoughTheAnswerWasLost() {
        atA.trySetPermits(2);
        faults(a).next(Operation.CHANGE, Fault.FAIL_AFTER).next(Operation.CHANGE, Fault.DROP_REPLY);
        atA.addPermits(3);
        assertThat(atB.permits()).isEqualTo(5);
        faults(a).next(Operation.CHANGE, Fault.DOUBLE_REQUEST);
        atA.addPermits(1);
        sim.runFor(Duration.ofSeconds(5));
        assertThat(atB.permits()).isEqualTo(6);
    }

    @Test
    void theFirstOneIsToldSoThoughTheAnswerWasLost() {
        faults(a).next(Operation.CHANGE, Fault.FAIL_AFTER);
        assertThat(atA.trySetPermits(2)).isTrue();
    }

    @Test
    void whatCannotBeToldIsSaid() {
        atA.trySetPermits(2);
        faults(a).probability(Fault.FAIL_AFTER, 1);
        assertThatThrownBy(() -> atA.addPermits(1))
                .isInstanceOf(IndeterminateLockException.class)
                .hasMessageContaining("semaphore 'n': no answer came; outcome unknown: it may have been changed");
        assertThatThrownBy(() -> atA.release(a.clientId() + ":1")).isInstanceOf(IndeterminateLockException.class);
        faults(a).probability(Fault.FAIL_AFTER, 0);
        faults(a).outage(true);
        assertThatThrownBy(() -> atA.addPermits(1)).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(atA::available).isInstanceOf(StoreUnavailableException.class);
        faults(a).outage(false);
        assertThat(atA.permits()).isEqualTo(3);
    }

    // ---- the end

    @Test
    void aClosedClientGivesAllBackAndEndsItsWaits() {
        Holdfast c = client("c");
        DistributedSemaphore atC = c.semaphore("n");
        atA.trySetPermits(2);
        Permit held = atC.tryAcquire(2).orElseThrow();
        CompletableFuture<Optional<Permit>> waiting = atC.async().tryAcquire(1, LONG);
        sim.runFor(SHORT);

        c.close();
        sim.runReady();

        assertThat(atA.available()).isEqualTo(2);
        assertThat(held.isValid()).isFalse();
        assertThat(waiting).isCompletedExceptionally();
        assertThatThrownBy(atC::available)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("semaphore 'n': the client c is closed");
        assertThatThrownBy(atC::tryAcquire).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(held::close).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aLeaseOfItsOwnEndsByItself() throws InterruptedException {
        atA.trySetPermits(1);
        Permit held = atA.tryAcquire(1, Duration.ZERO, Duration.ofSeconds(2)).orElseThrow();
        sim.runFor(Duration.ofSeconds(3));
        assertThat(held.isValid()).isFalse();
        assertThat(atB.tryAcquire()).hasValueSatisfying(Permit::close);
        assertThatThrownBy(held::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void anAssignedPermitHasTheLeaseOfItsOwnerFromItsFirstUse() throws InterruptedException {
        atA.trySetPermits(1);
        Permit held = atA.tryAcquire().orElseThrow();
        CompletableFuture<Optional<Permit>> own = atB.async().tryAcquire(1, LONG, Duration.ofSeconds(5));
        CompletableFuture<Permit> renewed = atB.async().acquire();
        sim.runFor(SHORT);
        held.close();
        sim.runFor(Duration.ofSeconds(4));
        assertThat(own.join().orElseThrow().isValid()).isTrue();
        own.join().orElseThrow().close();
        sim.runFor(Duration.ofSeconds(40));
        assertThat(renewed.join().isValid()).isTrue();
        renewed.join().close();
    }
}
