package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Leases whose end is moved. */
class ExtendTest extends VirtualTime {

    private static final Duration TEN = Duration.ofSeconds(10);
    private static final Duration TWENTY = Duration.ofSeconds(20);
    private static final Duration SIXTY = Duration.ofSeconds(60);

    private Lease lease;

    @BeforeEach
    void acquire() {
        lease = sim.await(a.lock("n").async().tryAcquire(Duration.ZERO, TEN)).orElseThrow();
    }

    @AfterEach
    void nothingIsLeft() {
        lease.close();
        assertNothingIsLeft();
    }

    /** Extends in vain, as no answer comes; the extension is under way when this returns. */
    private SimThread inVain(Duration length) {
        Held request = faults(a).holdRequest(Operation.RENEW);
        SimThread other = start(
                "other",
                () -> assertThatThrownBy(() -> lease.extend(length))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("did not confirm the extension"));
        sim.runUntil(request::isCaught, LONG);
        return other;
    }

    @Test
    void anExtensionThatFailsTakesNoLaterOneBack() {
        SimThread other = inVain(TWENTY);
        lease.extend(SIXTY);
        other.join();
        assertThat(lease.remainingLease()).isGreaterThan(Duration.ofSeconds(55));
        sim.runFor(Duration.ofSeconds(50));
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void anExtensionThatIsNotConfirmedDoesNotStandForAnother() {
        SimThread other = inVain(SIXTY);
        faults(a).next(Operation.RENEW, Fault.FAIL_BEFORE);
        assertThatThrownBy(() -> lease.extend(TWENTY)).isInstanceOf(StoreUnavailableException.class);
        other.join();
        assertThat(lease.remainingLease()).isLessThan(TEN);
        lease.extend(TWENTY);
        assertThat(lease.remainingLease()).isGreaterThan(TEN);
    }

    @Test
    void anExtensionWithoutAnAnswerLeavesTheNameFreeAtTheOldEnd() {
        faults(a).next(Operation.RENEW, Fault.DROP_REPLY);
        assertThatThrownBy(() -> lease.extend(SIXTY))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("its outcome is unknown, the hold is valid for");
        sim.runFor(TEN);
        assertNothingIsLeft();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void anExtensionThatIsConfirmedLateMovesTheEnd() {
        Held reply = faults(a).holdReply(Operation.RENEW);
        SimThread other = start(
                "other",
                () -> assertThatThrownBy(() -> lease.extend(SIXTY)).isInstanceOf(StoreUnavailableException.class));
        sim.runUntil(other::done, LONG);
        other.join();
        assertThat(lease.remainingLease()).isLessThan(TEN);
        reply.letGo();
        sim.runReady();
        sim.runFor(TWENTY);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aReEntryWithoutAnAnswerLeavesTheNameFreeAtTheOldEnd() {
        lease.close();
        DistributedLock lock = a.lock("re-entered");
        SimThread owner = start("owner", () -> {
            assertThat(lock.tryLock(Duration.ZERO, TEN)).isTrue();
            faults(a).next(Operation.RENEW, Fault.DROP_REPLY);
            assertThatThrownBy(() -> lock.lock(SIXTY))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("its outcome is unknown, the hold is valid for");
            sim.sleep(TEN);
            assertThat(b.lock("re-entered").holder()).isEmpty();
            assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        });
        owner.join();
    }

    @Test
    void aShorterExtensionThatIsAnsweredLaterCutsNothing() {
        Held reply = faults(a).holdReply(Operation.RENEW);
        SimThread other = start("other", () -> lease.extend(TWENTY));
        sim.runUntil(reply::isCaught, LONG);
        lease.extend(SIXTY);
        reply.letGo();
        other.join();
        assertThat(lease.remainingLease()).isGreaterThan(Duration.ofSeconds(55));
    }

    @Test
    void whatCanBeRequiredIsUpToWhatItWasExtendedBy() {
        assertThatThrownBy(() -> lease.ensureValid(Duration.ofSeconds(30)))
                .isInstanceOf(IllegalArgumentException.class);
        lease.extend(SIXTY);
        lease.ensureValid(Duration.ofSeconds(30));
        assertThatThrownBy(() -> lease.ensureValid(SIXTY)).isInstanceOf(IllegalArgumentException.class);
        sim.runFor(Duration.ofSeconds(40));
        assertThatThrownBy(() -> lease.ensureValid(Duration.ofSeconds(30)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("extend it");
    }

    @Test
    void anExtensionThatTheCloseOfTheClientEndsSaysSo() {
        Held reply = faults(a).holdReply(Operation.RENEW);
        SimThread other = start(
                "other",
                () -> assertThatThrownBy(() -> lease.extend(SIXTY))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("'n'")
                        .hasMessageContaining("the client a was closed"));
        sim.runUntil(reply::isCaught, LONG);
        a.close();
        other.join();
        assertThatThrownBy(lease::close).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anExtensionThatTheCloseOfTheLeaseEndsSaysSo() {
        Held reply = faults(a).holdReply(Operation.RENEW);
        SimThread other = start(
                "other",
                () -> assertThatThrownBy(() -> lease.extend(SIXTY))
                        .isInstanceOf(LeaseLostException.class)
                        .hasMessageContaining("its owner released it"));
        sim.runUntil(reply::isCaught, LONG);
        lease.close();
        other.join();
    }
}
