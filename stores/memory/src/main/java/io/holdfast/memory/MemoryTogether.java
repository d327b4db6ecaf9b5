package io.holdfast.memory;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.TogetherStore;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The batch operations of a client on one server. */
record MemoryTogether(MemoryClient client, MemoryServer server) implements TogetherStore {

    @Override
    public boolean together(String name, String other) {
        return true;
    }

    @Override
    public CompletionStage<List<Acquire.Reply>> acquire(List<Acquire> all) {
        return MemoryRecords.reply(() -> server.acquire(client, all));
    }
}
