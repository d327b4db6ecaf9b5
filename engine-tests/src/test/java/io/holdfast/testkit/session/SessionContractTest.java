package io.holdfast.testkit.session;

import io.holdfast.testkit.Simulation;
import io.holdfast.testkit.contract.SimulatedHarness;
import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;

/** The rules of all stores, with a server with sessions in virtual time. */
class SessionContractTest extends StoreContract {

    @Override
    protected StoreHarness newHarness() {
        Simulation time = Simulation.of(3);
        SessionServer server = new SessionServer(time);
        return new SimulatedHarness(time, "session:contract", server::open, server::wipe);
    }
}
