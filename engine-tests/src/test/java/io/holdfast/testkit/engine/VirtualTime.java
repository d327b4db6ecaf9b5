package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.LockEvent;
import io.holdfast.Safety;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.SimulatedServer;
import io.holdfast.testkit.Simulation;
import io.holdfast.testkit.faults.Faults;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;

/** Clients of one in-memory server in virtual time. After each test everything must be gone. */
abstract class VirtualTime {

    static final Duration LEASE = Duration.ofSeconds(30);
    static final Duration LONG = Duration.ofMinutes(5);

    final Simulation sim = Simulation.of(7);
    final SimulatedServer server = sim.server("s");
    final List<LockEvent> events = new CopyOnWriteArrayList<>();
    private final List<Holdfast> clients = new ArrayList<>();

    final Holdfast a = client("a");
    final Holdfast b = client("b");

    final Holdfast client(String name) {
        return client(name, options -> options);
    }

    final Holdfast client(String name, UnaryOperator<HoldfastBuilder> options) {
        Holdfast client = options.apply(Holdfast.builder()
                        .uri("simulated:s")
                        .platform(sim)
                        .name(name)
                        .listener(events::add))
                .build();
        clients.add(client);
        return client;
    }

    /** Opens stores like this, which can be asked for any safety. */
    static StoreProvider provider(Function<StoreConfig, LockStore> opener) {
        return new StoreProvider() {
            @Override
            public Set<String> schemes() {
                return Set.of("simulated");
            }

            @Override
            public boolean replicates() {
                return true;
            }

            @Override
            public LockStore open(StoreConfig config) {
                return opener.apply(config);
            }
        };
    }

    /** A client of which a test may say what it hears. */
    final Holdfast hearing(String name, Consumer<Consumer<Signal>> signals) {
        return client(
                name,
                options -> options.provider(provider(config -> {
                    signals.accept(config.signals());
                    return server.open(config);
                })));
    }

    /** A provider whose stores declare other capabilities than they have. */
    final StoreProvider declaring(UnaryOperator<Capabilities> change) {
        return provider(config -> new ForwardingStore(server.open(config)) {
            @Override
            public Capabilities capabilities() {
                return change.apply(super.capabilities());
            }
        });
    }

    /** What is assigned by a message is on no replica. */
    static Acquire.Reply unheard(Safety safety, Acquire.Reply reply) {
        return reply instanceof Acquire.Refused refused && !safety.equals(Safety.async())
                ? new Acquire.Refused(
                        refused.retryAfter(),
                        refused.arrival(),
                        refused.behind(),
                        refused.holder(),
                        refused.serverMicros(),
                        0)
                : reply;
    }

    final Faults faults(Holdfast client) {
        return server.connection(client.clientId()).faults();
    }

    final SimThread start(String name, SimThread.Body body) {
        return sim.start(name, body);
    }

    final <T extends LockEvent> List<T> events(Class<T> kind) {
        sim.runReady();
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    final long calls(Holdfast client) {
        return client.stats().storeCalls();
    }

    /** Closes twice while the release of the first close is held back on its way to the server. */
    final void assertSecondCloseWaits(Faults faults, SimThread.Body close) {
        Held release = faults.holdRequest(Operation.RELEASE);
        SimThread first = start("first", close);
        sim.runUntil(release::isCaught, LONG);
        SimThread second = start("second", close);
        sim.runReady();
        assertThat(second.done()).as("before the release is known").isFalse();
        release.letGo();
        second.join();
        first.join();
    }

    /** Lets what was put off be done, and then finds nothing held, waited for, or being released. */
    final void assertNothingIsLeft() {
        sim.runUntil(() -> clients.stream().allMatch(c -> c.stats().unsettled() == 0), LONG);
        for (Holdfast client : clients) {
            assertThat(client.stats().held()).as("held by %s", client).isZero();
            assertThat(client.stats().waiting()).as("waiting in %s", client).isZero();
        }
        assertThat(sim.inUse()).as("names held or awaited at the stores").isEmpty();
    }

    @AfterEach
    void everythingEnds() {
        clients.forEach(Holdfast::close);
        sim.run();
        assertThat(sim.leftovers()).isEmpty();
        sim.close();
    }
}
