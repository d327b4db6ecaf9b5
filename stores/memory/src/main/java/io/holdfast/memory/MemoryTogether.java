package io.holdfast.memory;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.TogetherStore;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The batch operations of a client on one server. */
record MemoryTogether(MemoryStore client, MemoryServer server) implements TogetherStore {

    @Override
    public boolean together(String name, String other) {
        return true;
    }

    @Override
    public CompletionStage<List<Acquire.Reply>> acquire(List<Acquire> all) {
        return MemoryStore.reply(() -> server.acquire(client, all));
    }
}
