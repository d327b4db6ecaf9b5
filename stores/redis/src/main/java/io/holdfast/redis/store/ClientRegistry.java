package io.holdfast.redis.store;

import io.holdfast.LockReport;
import io.holdfast.redis.script.KeyLayout;
import io.holdfast.spi.StoreConfig;
import io.holdfast.support.ClientRecord;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/** The record of this client, which other clients can read while it uses locks, and the records of the other clients. */
public final class ClientRegistry {

    /** The storage of the records. */
    public interface Records {

        /** Returns the records in the order of the keys. The text is empty where there is no record. */
        CompletionStage<List<String>> read(List<String> keys);

        CompletionStage<?> write(String key, String text, Duration life);

        CompletionStage<?> remove(String key);
    }

    private final KeyLayout layout;
    private final Records records;
    private final ClientRecord record;
    private final String key;

    public ClientRegistry(StoreConfig config, KeyLayout layout, Records records) {
        this.layout = layout;
        this.records = records;
        record = new ClientRecord(config);
        key = layout.record(config.client().id());
    }

    /** Writes the record if it is due. It must last as long as the lease that the client requests. */
    void refresh(Duration lease) {
        if (record.takeTurn()) {
            CompletionStage<?> unused = records.write(key, record.text(), ClientRecord.life(lease));
        }
    }

    /** Removes the record; empty if it was never written. */
    public Optional<CompletionStage<?>> remove() {
        return record.isWritten() ? Optional.of(records.remove(key)) : Optional.empty();
    }

    /**
     * Returns the clients of the given owners and waiters. A client without a record is returned with its id only.
     */
    CompletionStage<List<LockReport.Client>> clients(List<String> fields) {
        if (fields.isEmpty()) {
            return CompletableFuture.completedStage(List.of());
        }
        List<String> keys =
                fields.stream().map(ClientRegistry::id).map(layout::record).toList();
        return records.read(keys)
                .thenApply(found -> IntStream.range(0, fields.size())
                        .mapToObj(i -> client(fields.get(i), found.get(i)))
                        .toList());
    }

    private static LockReport.Client client(String field, String record) {
        return record.isEmpty() ? LockReport.Client.unknown(field) : ClientRecord.read(id(field), record);
    }

    static String tenure(String field) {
        return field.replaceFirst(":write$", "");
    }

    private static String id(String field) {
        String tenure = tenure(field);
        return tenure.substring(0, Math.max(0, tenure.lastIndexOf(':')));
    }
}
