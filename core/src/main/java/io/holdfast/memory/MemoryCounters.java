package io.holdfast.memory;

import io.holdfast.LatchCount;
import io.holdfast.SemaphoreReport;
import io.holdfast.spi.Change;
import io.holdfast.spi.CounterStore;
import io.holdfast.spi.LatchReport;
import io.holdfast.spi.PermitReport;
import io.holdfast.spi.TenureId;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;

/** The counters of a {@link MemoryServer}, for one client. */
record MemoryCounters(MemoryStore store, MemoryServer server) implements CounterStore {

    @Override
    public CompletionStage<Change.Reply> change(Change request) {
        return decide(now -> now > request.notAfter()
                ? new Change.Late(now)
                : new Change.Done(apply(store.key(request.name()), request, now), now));
    }

    private boolean apply(String key, Change request, long now) {
        return request.kind().ofLatch()
                ? server.latches.change(key, request, now)
                : server.semaphores.change(key, request, now);
    }

    @Override
    public CompletionStage<PermitReport> permits(String name) {
        return decide(now -> server.semaphores.report(store.key(name), now));
    }

    @Override
    public CompletionStage<List<SemaphoreReport>> semaphores(String prefix) {
        return decide(now -> server.semaphores.list(store, store.key(prefix), now));
    }

    @Override
    public CompletionStage<List<LatchCount>> latches(String prefix) {
        return decide(now -> server.latches.list(store, store.key(prefix), now));
    }

    @Override
    public CompletionStage<Boolean> revoke(String name, TenureId permit) {
        return decide(now -> server.semaphores.revoke(store.key(name), permit, now));
    }

    @Override
    public CompletionStage<LatchReport> latch(String name, boolean listening) {
        return decide(now -> server.latches.report(store.key(name), store.id(), listening, now));
    }

    private <T> CompletionStage<T> decide(LongFunction<T> decision) {
        return MemoryStore.reply(() -> server.decide(store, decision));
    }
}
