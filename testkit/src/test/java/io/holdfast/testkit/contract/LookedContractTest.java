package io.holdfast.testkit.contract;

import io.holdfast.testkit.SimulatedServer;
import io.holdfast.testkit.Simulation;
import java.time.Duration;

/** The in-memory store, as one that looks for signals ten times a second. */
class LookedContractTest extends StoreContract {

    @Override
    protected StoreHarness newHarness() {
        Simulation simulation = Simulation.of(5);
        SimulatedServer server =
                simulation.server("looked").faults(faults -> faults.looksEvery(Duration.ofMillis(100)));
        return new SimulatedHarness(simulation, "simulated:looked", server::open, server::wipe);
    }
}
