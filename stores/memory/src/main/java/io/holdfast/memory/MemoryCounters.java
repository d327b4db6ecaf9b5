package io.holdfast.memory;

import io.holdfast.LatchCount;
import io.holdfast.SemaphoreReport;
import io.holdfast.spi.Change;
import io.holdfast.spi.CounterStore;
import io.holdfast.spi.LatchReport;
import io.holdfast.spi.PermitReport;
import io.holdfast.spi.TenureId;
import io.holdfast.support.record.Decider;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The counters of a {@link MemoryServer}, for one client. */
record MemoryCounters(MemoryStore store, MemoryServer server) implements CounterStore {

    private Decider decider() {
        return server.decider();
    }

    @Override
    public CompletionStage<Change.Reply> change(Change request) {
        MemoryKey key = request.kind().ofLatch() ? store.latch(request.name()) : store.semaphore(request.name());
        return MemoryStore.reply(
                () -> server.decide(store, key, (record, moment) -> decider().change(record, request, moment)));
    }

    @Override
    public CompletionStage<PermitReport> permits(String name) {
        return MemoryStore.reply(() -> server.read(store, store.semaphore(name), store.reports()::permits));
    }

    @Override
    public CompletionStage<List<SemaphoreReport>> semaphores(String prefix) {
        return MemoryStore.reply(() -> server.list(store, store.semaphore(prefix), store.reports()::semaphore));
    }

    @Override
    public CompletionStage<List<LatchCount>> latches(String prefix) {
        return MemoryStore.reply(() -> server.list(store, store.latch(prefix), store.reports()::latch));
    }

    @Override
    public CompletionStage<Boolean> revoke(String name, TenureId permit) {
        return MemoryStore.reply(() -> server.decide(
                store, store.semaphore(name), (record, moment) -> decider().revoke(record, name, permit, moment)));
    }

    @Override
    public CompletionStage<LatchReport> latch(String name, boolean listening) {
        return MemoryStore.reply(() -> server.decide(
                store,
                store.latch(name),
                (record, moment) -> decider().latch(record, name, store.id(), listening, moment)));
    }
}
