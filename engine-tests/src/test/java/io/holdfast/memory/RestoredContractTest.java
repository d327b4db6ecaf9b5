package io.holdfast.memory;

import io.holdfast.LockReport;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.support.record.Decision;
import io.holdfast.support.record.Limits;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.store.Found;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKeys;
import io.holdfast.testkit.Simulation;
import io.holdfast.testkit.contract.SimulatedHarness;
import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;
import java.util.ArrayList;
import java.util.List;

/** The rules of all stores, with the in-memory store, whose records can be put back. */
class RestoredContractTest extends StoreContract {

    @Override
    protected StoreHarness newHarness() {
        Simulation simulation = Simulation.of(7);
        Records records = new Records(simulation);
        return new SimulatedHarness(simulation, Records.URI, records::open, () -> records.put(List.of()))
                .withBackup(() -> {
                    List<Found> kept = records.all();
                    return () -> records.put(kept);
                });
    }

    /** The records of a server. */
    private static final class Records {

        private static final String URI = "memory:restored";
        private final MemoryServer server;
        private final MemoryClient keeper;

        Records(Simulation simulation) {
            server = new MemoryServer(simulation, Limits.NONE);
            keeper = new MemoryClient(StoreConfig.of(URI, LockReport.Client.unknown("keeper"), simulation));
            server.connect(keeper);
            keeper.close();
        }

        LockStore open(StoreConfig config) {
            return new MemoryStore(config, new MemoryClient(config), server, () -> {});
        }

        List<Found> all() {
            RecordKeys keys = new RecordKeys("");
            List<Found> all = new ArrayList<>(server.list(keeper, keys.lock("")));
            all.addAll(server.list(keeper, keys.latch("")));
            all.addAll(server.list(keeper, keys.semaphore("")));
            return all;
        }

        /** Puts these records in the place of all others. */
        void put(List<Found> records) {
            all().forEach(found -> put(found.key(), LockRecord.EMPTY));
            records.forEach(found -> put(found.key(), found.record()));
        }

        private void put(RecordKey key, LockRecord record) {
            boolean unused = server.update(keeper, key, (before, moment) -> new Decision<>(record, true, List.of()));
        }
    }
}
