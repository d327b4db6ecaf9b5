package io.holdfast.memory;

import static java.util.stream.Collectors.toMap;

import io.holdfast.support.store.Found;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordUpdate;
import io.holdfast.support.store.Records;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The records of a {@link MemoryServer}, for one client. */
record MemoryRecords(MemoryClient client, MemoryServer server) implements Records {

    @Override
    public <R> CompletionStage<R> update(RecordKey key, RecordUpdate<R> update) {
        return reply(() -> server.update(client, key, update));
    }

    @Override
    public <R> Map<RecordKey, CompletionStage<R>> updateAll(Map<RecordKey, RecordUpdate<R>> updates) {
        return updates.entrySet().stream()
                .collect(toMap(Map.Entry::getKey, entry -> update(entry.getKey(), entry.getValue())));
    }

    @Override
    public CompletionStage<Found> read(RecordKey key) {
        return reply(() -> server.read(client, key));
    }

    @Override
    public CompletionStage<List<Found>> list(RecordKey prefix) {
        return reply(() -> server.list(client, prefix));
    }

    static <T> CompletionStage<T> reply(Supplier<T> request) {
        try {
            return CompletableFuture.completedFuture(request.get());
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
