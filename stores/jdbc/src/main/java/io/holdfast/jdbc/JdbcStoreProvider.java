package io.holdfast.jdbc;

import io.holdfast.jdbc.connection.Connections;
import io.holdfast.jdbc.connection.Database;
import io.holdfast.jdbc.record.TableStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * A provider that opens {@code jdbc:postgresql:}, {@code jdbc:mysql:}, {@code jdbc:mariadb:} and {@code jdbc:h2:} URLs. The driver
 * has to be on the class path or module path.
 */
public final class JdbcStoreProvider implements StoreProvider {

    private static final int MAX_PREFIX = 1_024;

    /** Creates a provider for {@link java.util.ServiceLoader}. */
    public JdbcStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("jdbc");
    }

    @Override
    public LockStore open(StoreConfig config) {
        Address address = Address.parse(config.uri(), config.commandTimeout());
        return open(config, address.database(), address.settings());
    }

    static LockStore open(StoreConfig config, Database database, StoreSettings settings) {
        requireShort(config.keyPrefix());
        Connections connections = new Connections(config, database);
        boolean opened = false;
        try {
            if (!config.lazy()) {
                connections.connect();
            }
            LockStore store =
                    TableStore.open(config, database.dialect(), connections, settings.sweepAfter(), settings.listens());
            opened = true;
            return store;
        } finally {
            if (!opened) {
                connections.close();
            }
        }
    }

    private static void requireShort(String keyPrefix) {
        if (keyPrefix.getBytes(StandardCharsets.UTF_8).length > MAX_PREFIX) {
            throw new IllegalArgumentException("keyPrefix is longer than " + MAX_PREFIX + " bytes of UTF-8");
        }
    }
}
