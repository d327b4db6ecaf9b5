package io.holdfast.testkit.contract;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.testkit.SimulatedServer;
import io.holdfast.testkit.Simulation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/** The contract for a store with a planted fault, to be run by a test that looks at what fails. */
class PlantedContract extends StoreContract {

    private final Opener opener;
    private final Consumer<SimulatedServer> wipe;

    /** Opens the store. */
    @FunctionalInterface
    interface Opener extends Function<Server, Function<StoreConfig, LockStore>> {}

    /**
     * What the store may use.
     *
     * @param clients what takes the signals of the clients; for the opener to fill
     */
    record Server(Simulation simulation, SimulatedServer memory, List<Consumer<Signal>> clients) {}

    PlantedContract(Opener opener, Consumer<SimulatedServer> wipe) {
        this.opener = opener;
        this.wipe = wipe;
    }

    @Override
    protected StoreHarness newHarness() {
        Simulation simulation = Simulation.of(3);
        SimulatedServer memory = simulation.server("planted");
        Server server = new Server(simulation, memory, new ArrayList<>());
        return new SimulatedHarness(simulation, "simulated:planted", opener.apply(server), () -> wipe.accept(memory));
    }

    /** The names of the rules that fail. */
    Set<String> failures() {
        Set<String> failed = new HashSet<>();
        tests().forEach(test -> {
            try {
                test.getExecutable().execute();
            } catch (Throwable e) {
                failed.add(test.getDisplayName());
            }
        });
        return failed;
    }

    Stream<DynamicTest> tests() {
        return rules().flatMap(topic -> topic.getChildren()).map(DynamicTest.class::cast);
    }
}
