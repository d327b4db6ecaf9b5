package io.holdfast.memory;

import static java.util.stream.Collectors.toMap;

import io.holdfast.LockReport;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.TenureId;
import io.holdfast.support.store.Directory;
import io.holdfast.support.store.RecordKey;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** The clients of a {@link MemoryServer}. They answer at once. */
record MemoryDirectory(MemoryServer server) implements Directory {

    @Override
    public CompletionStage<Map<String, LockReport.Client>> clients(Set<String> ids) {
        return MemoryRecords.reply(() -> ids.stream()
                .flatMap(id -> server.connected(id).stream())
                .collect(toMap(MemoryClient::id, MemoryClient::identity)));
    }

    @Override
    public CompletionStage<Optional<HoldDescription>> describe(RecordKey key, TenureId holder) {
        return MemoryRecords.reply(
                () -> server.connected(holder.clientId()).flatMap(client -> client.describeHold(key, holder)));
    }
}
