package io.holdfast.testkit.contract;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import java.util.concurrent.atomic.AtomicInteger;

/** The in-memory store with real threads, in real time. */
class RealTimeContractTest extends StoreContract {

    private static final AtomicInteger NUMBERS = new AtomicInteger();

    @Override
    protected StoreHarness newHarness() {
        String uri = "memory:real-time-" + NUMBERS.incrementAndGet();
        Memory memory = new Memory();
        return new RealTimeHarness() {

            @Override
            public String uri() {
                return uri;
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
