package io.holdfast.testkit.contract;

import io.holdfast.testkit.Simulation;

/** The in-memory store with the limits of a database, and with another claim window than all other stores. */
class LimitedContractTest extends StoreContract {

    @Override
    protected StoreHarness newHarness() {
        Memory memory = new Memory();
        return new SimulatedHarness(
                Simulation.of(4), "memory:limited?limits=standard&claimWindow=2000", memory::open, memory::wipe);
    }
}
