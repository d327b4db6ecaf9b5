package io.holdfast.support.store;

import io.holdfast.LatchCount;
import io.holdfast.SemaphoreReport;
import io.holdfast.spi.Change;
import io.holdfast.spi.CounterStore;
import io.holdfast.spi.LatchReport;
import io.holdfast.spi.PermitReport;
import io.holdfast.spi.TenureId;
import io.holdfast.support.record.Decider;
import io.holdfast.support.record.LockRecord;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The counters of a store over records, for the client with the given id. */
record RecordCounters(String clientId, RecordKeys keys, Decider decider, Records records, RecordReports reports)
        implements CounterStore {

    @Override
    public CompletionStage<Change.Reply> change(Change request) {
        RecordKey key = request.kind().ofLatch() ? keys.latch(request.name()) : keys.semaphore(request.name());
        return records.update(
                key,
                RecordUpdate.until(request.notAfter(), (record, moment) -> decider.change(record, request, moment)));
    }

    @Override
    public CompletionStage<PermitReport> permits(String name) {
        return records.read(keys.semaphore(name)).thenCompose(reports::permits);
    }

    @Override
    public CompletionStage<List<SemaphoreReport>> semaphores(String prefix) {
        return records.list(keys.semaphore(prefix)).thenCompose(reports::semaphores);
    }

    @Override
    public CompletionStage<List<LatchCount>> latches(String prefix) {
        return records.list(keys.latch(prefix)).thenApply(reports::latches);
    }

    @Override
    public CompletionStage<Boolean> revoke(String name, TenureId permit) {
        return records.update(keys.semaphore(name), (record, moment) -> decider.revoke(record, name, permit, moment));
    }

    @Override
    public CompletionStage<LatchReport> latch(String name, boolean listening) {
        // a client that waits for a count must not be ahead of those that change it
        return records.update(
                keys.latch(name),
                RecordUpdate.until(
                        LockRecord.NEVER,
                        (record, moment) -> decider.latch(record, name, clientId, listening, moment)));
    }
}
