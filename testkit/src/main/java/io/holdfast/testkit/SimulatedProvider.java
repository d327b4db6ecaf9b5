package io.holdfast.testkit;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import java.util.Set;

/**
 * The provider of {@code simulated:NAME}: the {@link SimulatedServer} of that name in the simulation that is the client's
 * platform.
 */
public final class SimulatedProvider implements StoreProvider {

    private static final String SCHEME = "simulated";

    /** Creates a provider, for {@link java.util.ServiceLoader}. */
    public SimulatedProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of(SCHEME);
    }

    @Override
    public LockStore open(StoreConfig config) {
        if (!(config.platform() instanceof Simulation simulation)) {
            throw new IllegalArgumentException("'" + config.uri() + "' needs a Simulation as the client's platform");
        }
        return simulation.server(config.uri().substring(SCHEME.length() + 1)).open(config);
    }
}
