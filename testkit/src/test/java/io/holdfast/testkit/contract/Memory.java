package io.holdfast.testkit.contract;

import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** A shared in-memory server, whose data are lost when all connections are closed, and opened again. */
final class Memory {

    private final List<Connection> connections = new ArrayList<>();

    /** A connection that can be opened again behind its user's back. */
    static final class Connection extends ForwardingStore {

        private final StoreConfig config;
        private boolean closed;

        Connection(StoreConfig config) {
            super(openDirectly(config));
            this.config = config;
        }

        void reopen() {
            if (!closed) {
                replace(openDirectly(config));
            }
        }

        @Override
        public void close() {
            closed = true;
            super.close();
        }
    }

    LockStore open(StoreConfig config) {
        Connection connection = new Connection(config);
        connections.add(connection);
        return connection;
    }

    void wipe() {
        connections.forEach(connection -> connection.store().close());
        connections.forEach(Connection::reopen);
    }

    static LockStore openDirectly(StoreConfig config) {
        return ServiceLoader.load(StoreProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.schemes().contains("memory"))
                .findFirst()
                .orElseThrow()
                .open(config);
    }
}
