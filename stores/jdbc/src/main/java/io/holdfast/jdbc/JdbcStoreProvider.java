package io.holdfast.jdbc;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import java.util.Set;

/**
 * A provider that opens {@code jdbc:h2:} URLs: a database in memory, in a file that several processes share, or on a server.
 * The driver has to be on the class path or module path.
 */
public final class JdbcStoreProvider implements StoreProvider {

    /** Creates a provider for {@link java.util.ServiceLoader}. */
    public JdbcStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("jdbc");
    }

    @Override
    public LockStore open(StoreConfig config) {
        JdbcStore store = new JdbcStore(config, Address.parse(config.uri(), config.commandTimeout()));
        if (!config.lazy()) {
            store.connect();
        }
        return store;
    }
}
