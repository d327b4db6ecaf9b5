package io.holdfast.zookeeper;

import io.holdfast.Safety;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Capabilities.Signals;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import io.holdfast.support.session.SessionStore;
import io.holdfast.zookeeper.connection.Settings;
import io.holdfast.zookeeper.connection.ZooKeeperSessions;
import java.time.Duration;
import java.util.Set;

/**
 * The provider of the store for ZooKeeper.
 *
 * <p>It opens {@code zookeeper://[user:password@]host[:port][,host[:port]...][/path]}, or the same with {@code zk:}. The store
 * keeps everything below {@code /path/holdfast}. Options:
 *
 * <ul>
 *   <li>{@code session}: the session timeout, 30 s unless set. A client that dies frees its locks after this time
 *   <li>{@code tick}: the {@code tickTime} of the servers, 2 s unless set
 * </ul>
 */
public final class ZooKeeperStoreProvider implements StoreProvider {

    /**
     * The shortest lease. After a cut, ZooKeeper's client waits for up to a second before it connects again. Two thirds of the lease
     * are left then, which are twice that second.
     */
    private static final Duration MIN_LEASE = Duration.ofSeconds(3);

    private static final Capabilities CAPABILITIES = new Capabilities(false, Signals.PUSHED, MIN_LEASE);

    /** Creates the provider for {@link java.util.ServiceLoader}. */
    public ZooKeeperStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("zookeeper", "zk");
    }

    /** Every write waits for a majority of the servers in any case, so {@link #open} refuses a level of safety with the reason. */
    @Override
    public boolean replicates() {
        return true;
    }

    @Override
    public LockStore open(StoreConfig config) {
        if (!config.safety().equals(Safety.async())) {
            throw new IllegalArgumentException("safety " + config.safety()
                    + ": ZooKeeper always waits for the disks of a majority of its servers; remove the level");
        }
        Settings settings = Address.parse(config.uri());
        Platform.Timer timer =
                config.platform().timer("holdfast-" + config.client().id() + "-zookeeper-timer");
        ZooKeeperSessions sessions = new ZooKeeperSessions(config, settings, timer);
        boolean opened = false;
        try {
            LockStore store = SessionStore.open(
                    new SessionStore.Parts(config, sessions, sessions, CAPABILITIES, settings.address(), timer));
            opened = true;
            return store;
        } finally {
            if (!opened) {
                var unused = sessions.close();
                timer.close();
            }
        }
    }
}
