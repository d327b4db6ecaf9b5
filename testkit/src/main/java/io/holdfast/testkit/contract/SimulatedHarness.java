package io.holdfast.testkit.contract;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.testkit.Simulation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/** A harness for a store in virtual time. */
public final class SimulatedHarness implements StoreHarness {

    private final Simulation simulation;
    private final String uri;
    private final Function<StoreConfig, LockStore> opener;
    private final Runnable wipe;
    private final Optional<Supplier<Runnable>> backup;

    /** Creates a harness for a store that the given function opens. */
    public SimulatedHarness(Simulation simulation, String uri, Function<StoreConfig, LockStore> opener, Runnable wipe) {
        this(simulation, uri, opener, wipe, Optional.empty());
    }

    private SimulatedHarness(
            Simulation simulation,
            String uri,
            Function<StoreConfig, LockStore> opener,
            Runnable wipe,
            Optional<Supplier<Runnable>> backup) {
        this.simulation = simulation;
        this.uri = uri;
        this.opener = opener;
        this.wipe = wipe;
        this.backup = backup;
    }

    /** Returns this harness, for a store whose data the given function copies, as {@link #backup} does. */
    public SimulatedHarness withBackup(Supplier<Runnable> copies) {
        return new SimulatedHarness(simulation, uri, opener, wipe, Optional.of(copies));
    }

    @Override
    public Platform platform() {
        return simulation;
    }

    @Override
    public String uri() {
        return uri;
    }

    @Override
    public LockStore open(StoreConfig config) {
        return opener.apply(config);
    }

    @Override
    public void pass(Duration time) {
        simulation.runFor(time);
    }

    @Override
    public void passUntil(BooleanSupplier condition, Duration atMost) {
        simulation.passUntil(condition, atMost);
    }

    @Override
    public void wipe() {
        wipe.run();
    }

    @Override
    public Optional<Runnable> backup() {
        return backup.map(Supplier::get);
    }

    @Override
    public void close() {
        simulation.runReady();
        List<String> left = simulation.leftovers();
        simulation.close();
        if (!left.isEmpty()) {
            throw new AssertionError("left behind after all connections were closed: " + left);
        }
    }
}
