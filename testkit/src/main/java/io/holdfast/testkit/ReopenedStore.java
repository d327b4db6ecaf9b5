package io.holdfast.testkit;

import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ServerClock;
import io.holdfast.spi.StoreConfig;
import java.util.function.Function;

/** A connection that is restored after its server was restarted. */
final class ReopenedStore extends ForwardingStore {

    private final StoreConfig config;
    private final Function<StoreConfig, LockStore> opener;
    private final ServerClock clock = new ServerClock();
    private volatile boolean closed;

    ReopenedStore(StoreConfig config, Function<StoreConfig, LockStore> opener) {
        super(opener.apply(config));
        this.config = config;
        this.opener = opener;
    }

    void disconnect() {
        store().close();
    }

    void reconnect() {
        if (!closed) {
            replace(opener.apply(config));
        }
    }

    @Override
    public ServerClock clock(String name) {
        return clock;
    }

    @Override
    public void close() {
        closed = true;
        super.close();
    }
}
