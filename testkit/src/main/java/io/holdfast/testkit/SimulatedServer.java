package io.holdfast.testkit;

import io.holdfast.LockReport;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import io.holdfast.testkit.faults.Faults;
import io.holdfast.testkit.faults.FaultyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** An in-memory server in a simulation, with its own clock, reached over connections with faults. */
public final class SimulatedServer {

    /** Numbers of one length, so that the order of the addresses is that in which servers are made. */
    private static final AtomicLong SERVERS = new AtomicLong(1_000_000);

    private final String memory;
    private final ServerPlatform platform;
    private final ReopenedStore keeper;
    private Optional<List<LockReport>> leftInUse = Optional.empty();
    private final List<ReopenedStore> stores = new ArrayList<>();
    private final List<FaultyStore> connections = new ArrayList<>();
    private final List<Consumer<Faults>> settings = new ArrayList<>();

    SimulatedServer(Simulation simulation, String name) {
        memory = "memory:simulated-" + SERVERS.incrementAndGet() + "-" + name;
        platform = new ServerPlatform(simulation);
        keeper = connect(keeperConfig());
    }

    /** Returns the configuration of the server's own connection. The data in memory last as long as any client is connected. */
    private StoreConfig keeperConfig() {
        return StoreConfig.of(memory, LockReport.Client.unknown("keeper"), platform);
    }

    /** Connects a client. The content of the URI has no effect. */
    public FaultyStore open(StoreConfig config) {
        Faults faults = new Faults(config.platform());
        settings.forEach(setting -> setting.accept(faults));
        FaultyStore connection = FaultyStore.open(config, this::connect, faults);
        connections.add(connection);
        return connection;
    }

    private ReopenedStore connect(StoreConfig config) {
        ReopenedStore store = new ReopenedStore(onServer(config), SimulatedServer::openMemory);
        stores.add(store);
        return store;
    }

    private StoreConfig onServer(StoreConfig config) {
        return config.withUri(memory).withPlatform(platform);
    }

    private static LockStore openMemory(StoreConfig config) {
        return ServiceLoader.load(StoreProvider.class, StoreProvider.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.schemes().contains("memory"))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "the store provider of memory: is missing: add io.holdfast:holdfast-memory"))
                .open(config);
    }

    /** Applies the setting to all connections, including later ones. */
    public SimulatedServer faults(Consumer<Faults> setting) {
        settings.add(setting);
        connections.forEach(connection -> setting.accept(connection.faults()));
        return this;
    }

    /** Returns all connections, in the order in which they were opened. */
    public List<FaultyStore> connections() {
        return List.copyOf(connections);
    }

    /** Returns the latest connection of the client. */
    public FaultyStore connection(String clientId) {
        return connections.stream()
                .filter(connection -> connection.clientId().equals(clientId))
                .reduce((earlier, later) -> later)
                .orElseThrow(() -> new IllegalArgumentException("client " + clientId + " never connected"));
    }

    /** Returns the names that are held or awaited. */
    public List<LockReport> inUse() {
        return leftInUse.orElseGet(() -> keeper.list("").toCompletableFuture().join());
    }

    void close() {
        leftInUse = Optional.of(inUse());
        keeper.close();
    }

    /** Loses all data, like a restart without persistence. Connections stay open. */
    public void wipe() {
        stores.forEach(ReopenedStore::disconnect);
        stores.forEach(ReopenedStore::reconnect);
    }

    /** Sets the server's clock forward or back. */
    public void stepClock(Duration by) {
        platform.step(by);
    }
}
