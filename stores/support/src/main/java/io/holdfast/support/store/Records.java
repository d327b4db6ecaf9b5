package io.holdfast.support.store;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * The records of a store, as one client accesses them.
 *
 * <p>The rules are those of {@link io.holdfast.spi.LockStore}: a failure completes the stage, with a {@link
 * io.holdfast.spi.StoreException} that states whether the record may have been written.
 */
public interface Records {

    /**
     * Reads a record, or {@link io.holdfast.support.record.LockRecord#EMPTY} if there is none, and lets a function decide. Then
     * writes the record of the decision, unless another writer was faster; in that case, everything is repeated. After that, the
     * notices are sent, and the stage completes with the reply. The record is not written after {@link RecordUpdate#notAfter},
     * even if the store had to wait for it.
     *
     * <p>A record that equals the one that was read need not be written.
     */
    <R> CompletionStage<R> update(RecordKey key, RecordUpdate<R> update);

    /**
     * Updates several records, each one separately.
     *
     * @return the result for each key
     */
    <R> Map<RecordKey, CompletionStage<R>> updateAll(Map<RecordKey, RecordUpdate<R>> updates);

    /** Reads a record. */
    CompletionStage<Found> read(RecordKey key);

    /** Reads the records of all names below a prefix, at least those of names that are in use or set. */
    CompletionStage<List<Found>> list(RecordKey prefix);
}
