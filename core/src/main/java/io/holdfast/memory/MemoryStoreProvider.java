package io.holdfast.memory;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Opens {@code memory:}, which no other client sees, and {@code memory:NAME}, which all clients in this JVM share. */
public final class MemoryStoreProvider implements StoreProvider {

    private static final String SCHEME = "memory";

    /** The shared servers by name, each from its first opening until its last closing. */
    private static final ConcurrentMap<String, Shared> SHARED = new ConcurrentHashMap<>();

    private record Shared(MemoryServer server, int users) {

        Shared plus(int more) {
            return new Shared(server, users + more);
        }
    }

    /** For {@link java.util.ServiceLoader}. */
    public MemoryStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of(SCHEME);
    }

    @Override
    public LockStore open(StoreConfig config) {
        String name = serverName(config.uri());
        return name.isEmpty()
                ? connect(config, new MemoryServer(config.platform()), () -> {})
                : connect(config, join(name, config.platform()), () -> leave(name));
    }

    private static String serverName(String uri) {
        if (!uri.startsWith(SCHEME + ":")) {
            throw new IllegalArgumentException(
                    "not a memory store: '" + uri + "'; write memory: for a private one, memory:NAME for a shared one");
        }
        return uri.substring(SCHEME.length() + 1);
    }

    private static LockStore connect(StoreConfig config, MemoryServer server, Runnable leave) {
        MemoryStore store = new MemoryStore(config, server, leave);
        server.connect(store);
        return store;
    }

    private static MemoryServer join(String name, Platform platform) {
        return SHARED.compute(
                        name, (key, open) -> open == null ? new Shared(new MemoryServer(platform), 1) : open.plus(1))
                .server();
    }

    private static void leave(String name) {
        SHARED.computeIfPresent(name, (key, open) -> open.users() == 1 ? null : open.plus(-1));
    }
}
