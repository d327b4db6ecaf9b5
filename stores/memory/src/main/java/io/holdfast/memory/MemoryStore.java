package io.holdfast.memory;

import io.holdfast.spi.Capabilities;
import io.holdfast.spi.ServerClock;
import io.holdfast.spi.StoreConfig;
import io.holdfast.support.store.RecordStore;
import java.util.concurrent.CompletionStage;

/** The connection of one client to a {@link MemoryServer}. Replies are complete when the call returns. Signals arrive later. */
final class MemoryStore extends RecordStore {

    private final MemoryClient client;
    private final MemoryServer server;
    private final Runnable onClose;
    private final ServerClock clock = new ServerClock();

    MemoryStore(StoreConfig config, MemoryClient client, MemoryServer server, Runnable onClose) {
        super(config, server.decider(), new MemoryRecords(client, server), new MemoryDirectory(server));
        this.client = client;
        this.server = server;
        this.onClose = onClose;
        server.connect(client);
    }

    @Override
    public Capabilities capabilities() {
        return server.capabilities();
    }

    @Override
    public String describe() {
        return client.describe();
    }

    @Override
    public ServerClock clock(String name) {
        return clock;
    }

    @Override
    public CompletionStage<Void> confirmSignals() {
        return MemoryRecords.reply(() -> server.requireConnected(client)).thenCompose(connected -> client.delivered());
    }

    @Override
    public void close() {
        if (server.disconnect(client)) {
            client.close();
            onClose.run();
        }
    }
}
