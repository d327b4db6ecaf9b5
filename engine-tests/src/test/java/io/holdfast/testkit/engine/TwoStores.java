package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.recipes.MultiLock;
import io.holdfast.testkit.SimulatedServer;
import io.holdfast.testkit.check.LeakChecker;
import io.holdfast.testkit.faults.Faults;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two processes, a and b, each with a client of two servers; a lock at each server, of which "1" comes first. */
abstract class TwoStores extends VirtualTime {

    @RegisterExtension
    final LeakChecker leaks = new LeakChecker().simulation(sim);

    final SimulatedServer otherServer = sim.server("t");
    final Holdfast otherA = client("other-a", options -> options.uri("simulated:t"));
    final Holdfast otherB = client("other-b", options -> options.uri("simulated:t"));

    final DistributedLock one = a.lock("1");
    final DistributedLock two = otherA.lock("2");
    final DistributedLock oneOfB = b.lock("1");
    final DistributedLock twoOfB = otherB.lock("2");
    final MultiLock both = MultiLock.of(two, one);

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
    }

    final Faults otherFaults() {
        return otherServer.connection(otherA.clientId()).faults();
    }

    final void assertFree(DistributedLock lock) {
        assertThat(lock.isLocked()).as("%s", lock).isFalse();
    }
}
