package io.holdfast.etcd;

import io.holdfast.Safety;
import io.holdfast.etcd.connection.EtcdSessions;
import io.holdfast.etcd.connection.Settings;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Capabilities.Signals;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import io.holdfast.support.session.SessionStore;
import java.time.Duration;
import java.util.Set;

/**
 * The provider of the store for etcd.
 *
 * <p>It opens {@code etcd://[user:password@]host[:port][,host[:port]...][/path]}, or the same with {@code etcds:} for TLS. The
 * store keeps everything in keys that begin with {@code path/holdfast/}. Options:
 *
 * <ul>
 *   <li>{@code session}: the time to live of the session, 30 s unless set. A client that dies frees its locks after this time
 *   <li>{@code ca}, {@code cert}, {@code key}: with {@code etcds:}, the files of the authorities to trust, and of the client's
 *       certificate and key, in the format PEM
 * </ul>
 */
public final class EtcdStoreProvider implements StoreProvider {

    private static final Capabilities CAPABILITIES = new Capabilities(false, Signals.PUSHED, Duration.ofSeconds(1));

    /** Creates the provider for {@link java.util.ServiceLoader}. */
    public EtcdStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("etcd", "etcds");
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
                    + ": etcd always waits for the disks of a majority of its servers; remove the level");
        }
        Settings settings = Address.parse(config.uri());
        Platform.Timer timer =
                config.platform().timer("holdfast-" + config.client().id() + "-etcd-timer");
        EtcdSessions sessions = new EtcdSessions(config, settings, timer);
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
