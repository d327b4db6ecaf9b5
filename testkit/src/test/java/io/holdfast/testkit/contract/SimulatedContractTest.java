package io.holdfast.testkit.contract;

import io.holdfast.testkit.SimulatedServer;
import io.holdfast.testkit.Simulation;

/** The in-memory store, behind a connection on which nothing goes wrong, in virtual time. */
class SimulatedContractTest extends StoreContract {

    @Override
    protected StoreHarness newHarness() {
        Simulation simulation = Simulation.of(1);
        SimulatedServer server = simulation.server("contract");
        return new SimulatedHarness(simulation, "simulated:contract", server::open, server::wipe);
    }
}
