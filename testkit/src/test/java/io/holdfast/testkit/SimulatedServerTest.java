package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.TenureId;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.FaultyStore;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ServiceLoader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SimulatedServerTest {

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final Simulation simulation = Simulation.of(9);

    @AfterEach
    void close() {
        simulation.close();
    }

    private static StoreConfig config(String uri, String client, Platform platform) {
        return StoreConfig.of(uri, LockReport.Client.unknown(client), platform);
    }

    private FaultyStore open(String client) {
        return simulation.server("s").open(config("simulated:s", client, simulation));
    }

    private Acquire.Reply acquire(LockStore store, String client) {
        return simulation.await(store.acquire(Acquire.of("n", new TenureId(client, 1), LEASE)));
    }

    private static StoreProvider provider() {
        return ServiceLoader.load(StoreProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.schemes().contains("simulated"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void isReachedByItsUri() {
        LockStore store = provider().open(config("simulated:s", "a", simulation));
        assertThat(acquire(store, "a")).isInstanceOf(Acquire.Granted.class);
        assertThat(acquire(open("b"), "b")).isInstanceOf(Acquire.Refused.class);
        assertThat(simulation.server("s").connections()).hasSize(2).first().isSameAs(store);
        assertThat(simulation.server("other").inUse()).isEmpty();
    }

    @Test
    void needsASimulation() {
        assertThatThrownBy(() -> provider().open(config("simulated:s", "a", Platform.system())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Simulation");
    }

    @Test
    void isAnotherOneInEachSimulation() {
        assertThat(acquire(open("a"), "a")).isInstanceOf(Acquire.Granted.class);
        try (Simulation second = Simulation.of(9)) {
            LockStore store = second.server("s").open(config("simulated:s", "b", second));
            assertThat(store.acquire(Acquire.of("n", new TenureId("b", 1), LEASE)))
                    .isCompletedWithValueMatching(Acquire.Granted.class::isInstance);
        }
    }

    @Test
    void losesAllDataButNoConnection() {
        FaultyStore store = open("a");
        Acquire.Reply before = acquire(store, "a");
        simulation.server("s").wipe();
        assertThat(simulation.server("s").inUse()).isEmpty();
        Acquire.Reply after = acquire(open("b"), "b");
        assertThat(before).isInstanceOf(Acquire.Granted.class);
        assertThat(after).isInstanceOf(Acquire.Granted.class);
        assertThat(acquire(store, "a")).isInstanceOf(Acquire.Refused.class);
    }

    @Test
    void hasAClockOfItsOwn() {
        FaultyStore store = open("a");
        long start = acquire(store, "a").serverMicros();
        simulation.stepWallClock(Duration.ofHours(1));
        assertThat(acquire(store, "a").serverMicros() - start).isZero();
        simulation.server("s").stepClock(Duration.ofSeconds(10));
        assertThat(acquire(store, "a").serverMicros() - start).isEqualTo(10_000_000);
        simulation.server("s").stepClock(Duration.ofSeconds(-10));
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(acquire(store, "a").serverMicros() - start).isEqualTo(1_000_000);
    }

    @Test
    void goesOnWhileTheClientsMachineIsSuspended() {
        FaultyStore store = open("a");
        assertThat(acquire(store, "a")).isInstanceOf(Acquire.Granted.class);
        simulation.suspend(LEASE.plusSeconds(1));
        assertThat(acquire(open("b"), "b")).isInstanceOf(Acquire.Granted.class);
    }

    @Test
    void setsFaultsForAllConnections() {
        FaultyStore early = open("a");
        simulation.server("s").faults(faults -> faults.next(Operation.INSPECT, Fault.FAIL_BEFORE));
        FaultyStore late = open("b");
        assertThat(early.inspect("n")).isCompletedExceptionally();
        assertThat(late.inspect("n")).isCompletedExceptionally();
        assertThat(late.inspect("n")).isCompleted();
        assertThat(simulation.server("s").connection("b")).isSameAs(late);
        assertThatThrownBy(() -> simulation.server("s").connection("c")).hasMessageContaining("c never connected");
    }
}
