package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.spi.Signal;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A hold that its client has reason to doubt is not kept: its unlock asks the store, and throws if it was lost. */
class LingerDoubtTest extends Lingering {

    /** Another has the lock, and the owner here is told so by its unlock. */
    private void unlockThrows() {
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        loses();
    }

    private void loses() {
        assertThat(lock.tryLock()).isFalse();
        other.unlock();
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
        events.clear();
    }

    private void outage(Runnable meanwhile) {
        faults(a).outage(true);
        meanwhile.run();
        sim.runReady();
        faults(a).outage(false);
        sim.runReady();
    }

    // ---- clocks

    @Test
    void aHoldThatASuspendedMachineLostIsNotKept() {
        lock.lock();
        sim.suspend(LEASE.plus(MILLI));
        other.lock();
        unlockThrows();
    }

    @Test
    void aHoldThatAClockStepPutInDoubtIsNotKept() {
        lock.lock();
        sim.stepWallClock(Duration.ofHours(1));
        lock.unlock();
        assertThat(holder()).isEmpty();
    }

    @Test
    void soItIsForAFuture() {
        var lease = sim.await(lock.async().acquire());
        sim.suspend(LEASE.plus(MILLI));
        other.lock();
        assertThatThrownBy(() -> sim.await(lease.closeAsync())).isInstanceOf(LeaseLostException.class);
        loses();
    }

    // ---- forced free

    @Test
    void whatWasForcedFreeWhileItWasInUseIsNotKept() {
        lock.lock();
        Held renewal = faults(a).holdRequest(Operation.RENEW);
        assertThat(other.forceUnlock()).isTrue();
        sim.runReady();
        assertThat(renewal.isCaught()).isTrue();
        other.lock();
        unlockThrows();
        renewal.letGo();
    }

    @Test
    void whatThisClientForcedFreeWhileItWasInUseIsNotKept() {
        Held told = faults(a).holdSignal(Signal.Revoked.class);
        lock.lock();
        assertThat(lock.forceUnlock()).isTrue();
        other.lock();
        unlockThrows();
        told.letGo();
    }

    @Test
    void whatWasForcedFreeBeforeItsGrantArrivedIsNotKept() {
        Held grant = faults(a).holdReply(Operation.ACQUIRE);
        SimThread owner = start("owner", () -> {
            lock.lock();
            assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        });
        sim.runReady();
        assertThat(grant.isCaught()).isTrue();
        assertThat(other.forceUnlock()).isTrue();
        sim.runReady();
        other.lock();
        grant.letGo();
        sim.runUntil(owner::done, POLL);
        owner.join();
        loses();
    }

    @Test
    void anAnswerToWhatWasSentBeforeEndsNoDoubt() {
        lock.lock();
        Held before = faults(a).holdReply(Operation.RENEW);
        sim.runFor(LEASE.dividedBy(3));
        assertThat(before.isCaught()).isTrue();
        Held after = faults(a).holdRequest(Operation.RENEW);
        assertThat(other.forceUnlock()).isTrue();
        sim.runReady();
        assertThat(after.isCaught()).isTrue();
        other.lock();
        before.letGo();
        sim.runReady();
        unlockThrows();
        after.letGo();
    }

    // ---- missed messages

    @Test
    void whatWasHeldWhenMessagesMayHaveBeenMissedIsNotKept() {
        lock.lock();
        Held renewal = faults(a).holdRequest(Operation.RENEW);
        outage(() -> {
            assertThat(other.forceUnlock()).isTrue();
            other.lock();
        });
        assertThat(renewal.isCaught()).isTrue();
        unlockThrows();
        renewal.letGo();
    }

    @Test
    void afterARenewalItIsKeptAgain() {
        lock.lock();
        outage(() -> sim.runFor(MILLI));
        sim.runFor(LEASE.dividedBy(2));
        lock.unlock();
        assertThat(isKept()).isTrue();
    }

    @Test
    void aDoubtIsOfOneTenureOnly() {
        lock.lock();
        outage(() -> sim.runFor(MILLI));
        lock.unlock();
        assertThat(holder()).isEmpty();
        use(lock);
        assertThat(isKept()).isTrue();
    }
}
