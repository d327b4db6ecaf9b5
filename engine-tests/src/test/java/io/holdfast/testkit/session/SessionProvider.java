package io.holdfast.testkit.session;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import java.util.Set;

/** Opens the stores of clients with an engine. */
record SessionProvider(SessionServer server) implements StoreProvider {

    @Override
    public Set<String> schemes() {
        return Set.of("session");
    }

    @Override
    public LockStore open(StoreConfig config) {
        return server.open(config);
    }
}
