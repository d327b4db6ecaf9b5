package io.holdfast.testkit.faults;

import io.holdfast.LatchCount;
import io.holdfast.SemaphoreReport;
import io.holdfast.spi.Change;
import io.holdfast.spi.CounterStore;
import io.holdfast.spi.LatchReport;
import io.holdfast.spi.PermitReport;
import io.holdfast.spi.TenureId;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The counters of a store, over a connection with faults. */
record FaultyCounters(FaultyStore connection, CounterStore counters) implements CounterStore {

    @Override
    public CompletionStage<Change.Reply> change(Change request) {
        return connection.call(Operation.CHANGE, request, () -> counters.change(request), FaultyStore::unknown);
    }

    @Override
    public CompletionStage<PermitReport> permits(String name) {
        return connection.call(Operation.COUNT, name, () -> counters.permits(name), FaultyStore::unknown);
    }

    @Override
    public CompletionStage<List<SemaphoreReport>> semaphores(String prefix) {
        return connection.call(Operation.LIST, prefix, () -> counters.semaphores(prefix), FaultyStore::unknown);
    }

    @Override
    public CompletionStage<List<LatchCount>> latches(String prefix) {
        return connection.call(Operation.LIST, prefix, () -> counters.latches(prefix), FaultyStore::unknown);
    }

    @Override
    public CompletionStage<Boolean> revoke(String name, TenureId permit) {
        return connection.call(Operation.REVOKE, permit, () -> counters.revoke(name, permit), FaultyStore::unknown);
    }

    @Override
    public CompletionStage<LatchReport> latch(String name, boolean listening) {
        return connection.call(Operation.COUNT, name, () -> counters.latch(name, listening), FaultyStore::unknown);
    }
}
