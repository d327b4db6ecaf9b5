package io.holdfast.testkit.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.Permit;
import io.holdfast.spi.Platform;
import io.holdfast.testkit.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Many clients of a store with sessions that want one name, and compete for its record. */
@Tag("slow")
@Tag("ci")
class SessionCrowdTest {

    /** Shorter than the session, so each renewal has to write. */
    private static final Duration LEASE = Duration.ofSeconds(2);

    private static final Duration SHORT = Duration.ofMillis(150);
    private static final Duration HELD = Duration.ofMillis(5);
    private static final Duration LENGTH = Duration.ofSeconds(10);

    /** The time that a server takes for each request that synchronizes its disk. */
    private static final Duration SLOW = Duration.ofNanos(1_500_000);

    private final Simulation time = Simulation.of(11);
    private final Platform.Timer timer = time.timer("work");
    private final SessionServer server = new SessionServer(time);
    private final List<Holdfast> clients = new ArrayList<>();
    private final List<LockEvent> events = new CopyOnWriteArrayList<>();
    private final Map<String, Integer> failures = new TreeMap<>();
    private int requests;
    private boolean ended;

    /** As much as a server that writes to a disk. */
    @BeforeEach
    void makeTheServerWork() {
        server.serve(Duration.ofNanos(150_000));
    }

    private Holdfast client() {
        Holdfast client =
                server.client("crowd").lease(LEASE).listener(events::add).build();
        clients.add(client);
        return client;
    }

    @AfterEach
    void close() {
        clients.forEach(Holdfast::close);
        timer.close();
        time.run();
        time.close();
    }

    /** Asks again and again, and notes what fails. */
    private void ask(Function<Holdfast, CompletableFuture<Optional<Lease>>> request, Holdfast client) {
        var unused = request.apply(client).whenComplete((lease, error) -> {
            requests++;
            if (error != null) {
                failures.merge(String.valueOf(error), 1, Integer::sum);
            }
            if (lease != null && lease.isPresent()) {
                var unusedStage = lease.get().closeAsync();
            }
            if (!ended) {
                ask(request, client);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"16, false", "64, false", "16, true", "64, true"})
    void keepsTheHoldThatACrowdWants(int others, boolean read) throws Exception {
        Holdfast holder = client();
        Lease held = read
                ? holder.readWriteLock("n").readLock().acquire()
                : holder.lock("n").acquire();
        for (int i = 0; i < others; i++) {
            ask(
                    client -> read
                            ? client.readWriteLock("n").writeLock().async().tryAcquire(SHORT)
                            : client.lock("n").async().tryAcquire(SHORT),
                    client());
        }
        time.runFor(LENGTH);
        assertThat(held.isValid()).isTrue();
        assertThat(events).noneMatch(LockEvent.Lost.class::isInstance);
        assertThat(failures).as("failures of %d requests", requests).isEmpty();
        ended = true;
        time.await(held.closeAsync());
    }

    /** Each holds the name for a moment, and waits for less time than all take. */
    @ParameterizedTest
    @ValueSource(ints = {16, 64})
    void handsALockOverToWaitersOfWhichMostGiveUp(int waiters) {
        int[] granted = {0};
        for (int i = 0; i < waiters; i++) {
            work(client(), granted);
        }
        time.runFor(LENGTH);
        ended = true;
        assertThat(failures).isEmpty();
        assertThat(events).noneMatch(LockEvent.Lost.class::isInstance);
        assertThat(granted[0]).as("granted of %d requests", requests).isPositive();
    }

    private void work(Holdfast client, int[] granted) {
        var unused = client.fairLock("n")
                .async()
                .tryAcquire(SHORT.multipliedBy(2))
                .whenComplete((lease, error) -> {
                    requests++;
                    if (error != null) {
                        failures.merge(String.valueOf(error).replaceAll("[0-9]+", "#"), 1, Integer::sum);
                    }
                    if (lease != null && lease.isPresent()) {
                        granted[0]++;
                        var unusedTask = timer.schedule(HELD.toNanos(), () -> {
                            var unusedClose =
                                    lease.get().closeAsync().whenComplete((done, failed) -> again(client, granted));
                        });
                    } else {
                        again(client, granted);
                    }
                });
    }

    private void again(Holdfast client, int[] granted) {
        if (!ended) {
            work(client, granted);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {12, 32})
    void failsNoWaiterOfACrowdThatHandsALockOver(int waiters) {
        for (int i = 0; i < waiters; i++) {
            ask(client -> client.fairLock("n").async().tryAcquire(LENGTH.multipliedBy(4)), client());
        }
        time.runFor(LENGTH);
        ended = true;
        assertThat(failures).isEmpty();
    }

    /** Their renewals compete with each other alone. */
    @ParameterizedTest
    @ValueSource(ints = {15, 32})
    void keepsThePermitsOfManyHolders(int holders) {
        server.serve(SLOW);
        client().semaphore("s").trySetPermits(holders);
        List<CompletableFuture<Optional<Permit>>> permits = new ArrayList<>();
        for (int i = 0; i < holders; i++) {
            permits.add(client().semaphore("s").async().tryAcquire(1, LENGTH));
        }
        time.runFor(LENGTH.multipliedBy(3));
        assertThat(permits)
                .allSatisfy(permit ->
                        assertThat(permit.join().orElseThrow().isValid()).isTrue());
        assertThat(events).noneMatch(LockEvent.Lost.class::isInstance);
    }

    /** There is room for all, and each of them has to write. */
    @ParameterizedTest
    @ValueSource(ints = {16, 50})
    void grantsAllOfACrowdThatAsksAtOnce(int readers) {
        server.serve(SLOW);
        List<CompletableFuture<Optional<Lease>>> leases = new ArrayList<>();
        for (int i = 0; i < readers; i++) {
            leases.add(client().readWriteLock("n").readLock().async().tryAcquire(LENGTH));
        }
        for (Duration passed = Duration.ZERO; passed.compareTo(LENGTH) < 0; passed = passed.plus(SHORT)) {
            time.runFor(SHORT);
            assertThat(clients)
                    .as("the store answers")
                    .allSatisfy(
                            client -> assertThat(client.health().failingSince()).isEmpty());
        }
        assertThat(leases).allSatisfy(lease -> assertThat(lease.join()).isPresent());
    }
}
