package io.holdfast.testkit.contract;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;

/** The in-memory store with real threads, in real time. */
class RealTimeContractTest extends StoreContract {

    @Override
    protected StoreHarness newHarness() {
        Memory memory = new Memory();
        return new RealTimeHarness() {

            @Override
            public String uri() {
                return "memory:real-time-contract";
            }

            @Override
            public LockStore open(StoreConfig config) {
                return memory.open(config);
            }

            @Override
            public void wipe() {
                memory.wipe();
            }

            @Override
            public void close() {}
        };
    }
}
