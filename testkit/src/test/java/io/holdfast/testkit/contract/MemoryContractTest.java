package io.holdfast.testkit.contract;

import io.holdfast.testkit.Simulation;
import org.junit.jupiter.api.Tag;

/** The in-memory store in virtual time, with nothing in between. */
@Tag("everywhere")
class MemoryContractTest extends StoreContract {

    @Override
    protected StoreHarness newHarness() {
        Memory memory = new Memory();
        return new SimulatedHarness(Simulation.of(2), "memory:contract", memory::open, memory::wipe);
    }
}
