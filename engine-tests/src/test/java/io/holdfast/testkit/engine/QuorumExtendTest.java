package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LeaseLostException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.recipes.QuorumLease;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Leases over five servers whose end is moved. */
class QuorumExtendTest extends FiveServers {

    private static final Duration TWENTY = Duration.ofSeconds(20);
    private static final Duration THIRTY = Duration.ofSeconds(30);
    private static final Duration SIXTY = Duration.ofSeconds(60);

    /** The close of the first client, which looks after the hold, would make that drop the seats that are over. */
    @Test
    void aSeatThatIsLostConfirmsNothing() throws InterruptedException {
        QuorumLease lease = lockA.tryAcquire(Duration.ZERO, TWENTY).orElseThrow();
        sim.runReady();
        reachable(ofA, 3, 4);
        assertThatThrownBy(() -> lease.extend(SIXTY)).isInstanceOf(StoreUnavailableException.class);
        ofA.get(3).close();
        ofA.get(4).close();
        reachable(ofA, 2, 3, 4);
        assertThatThrownBy(() -> lease.extend(THIRTY)).isInstanceOf(StoreUnavailableException.class);
        lease.close();
        sim.runFor(SIXTY);
    }

    /** The servers have applied it, and would keep the name for longer. The owner does not rely on that. */
    @Test
    void anExtensionWithoutAnAnswerEndsAtTheOldEnd() throws InterruptedException {
        QuorumLease lease = lockA.tryAcquire(Duration.ZERO, TWENTY).orElseThrow();
        sim.runReady();
        for (int server = 0; server < SERVERS; server++) {
            faults(ofA, server).next(Operation.RENEW, Fault.DROP_REPLY);
        }
        assertThatThrownBy(() -> lease.extend(SIXTY)).isInstanceOf(StoreUnavailableException.class);
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.remainingLease()).isLessThan(TWENTY);
        sim.runFor(TWENTY.plus(SECOND));
        assertThat(lease.isValid()).isFalse();
        assertFree();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void whatCanBeRequiredIsUpToWhatItWasExtendedBy() throws InterruptedException {
        QuorumLease lease = lockA.tryAcquire(Duration.ZERO, TWENTY).orElseThrow();
        assertThatThrownBy(() -> lease.ensureValid(THIRTY)).isInstanceOf(IllegalArgumentException.class);
        lease.extend(SIXTY);
        lease.ensureValid(THIRTY);
        assertThat(lease.remainingLease()).isGreaterThan(THIRTY);
        lease.close();
    }

    @Test
    void aServerThatJoinsAHoldWithAnEndEndsWithIt() throws InterruptedException {
        hang(3);
        hang(4);
        QuorumLease lease = lockA.tryAcquire(Duration.ZERO, TWENTY).orElseThrow();
        heal(3);
        heal(4);
        sim.runFor(Duration.ofSeconds(7));
        assertThat(lease.heldAt()).isEqualTo(SERVERS);
        sim.runFor(Duration.ofSeconds(14));
        assertFree();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
    }
}
