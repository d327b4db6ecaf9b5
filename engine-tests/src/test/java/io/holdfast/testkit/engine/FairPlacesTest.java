package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.testkit.SimulatedServer;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store that allows a client 16 fair positions. The client keeps the rest of its waiters to itself. */
class FairPlacesTest extends VirtualTime {

    private static final String SERVER = "t?limits=standard";
    private static final int PLACES = 16;

    private final SimulatedServer limited = sim.server(SERVER);
    private final List<Long> refusedPlaces = new ArrayList<>();
    private final Map<Long, String> served = new ConcurrentHashMap<>();
    private final List<CompletableFuture<?>> waiting = new ArrayList<>();
    private final Holdfast c = limited("c");
    private final Holdfast d = limited("d");
    private final Holdfast e = limited("e");

    private Holdfast limited(String name) {
        return client(name, options -> options.provider(provider(config -> new Noting(limited.open(config)))));
    }

    /** Notes positions that the store refused. */
    private final class Noting extends ForwardingStore {

        Noting(LockStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Acquire.Reply> acquire(Acquire request) {
            return super.acquire(request).thenApply(reply -> {
                boolean waits = request.queueing() == Acquire.Queueing.FAIR;
                if (waits && reply instanceof Acquire.Refused refused) {
                    note(refused.arrival());
                    refused.behind().forEach(this::note);
                } else if (reply instanceof Acquire.Granted granted) {
                    granted.behind().forEach(this::note);
                }
                return reply;
            });
        }

        private void note(long arrival) {
            if (arrival == 0) {
                refusedPlaces.add(arrival);
            }
        }
    }

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
    }

    /** Adds a waiter that releases the lock after a moment. */
    private void waiter(Holdfast client, String name) {
        waiting.add(client.fairLock("n").async().acquire().thenAccept(lease -> {
            served.put(lease.fencingToken(), name);
            lease.close();
        }));
    }

    private int places(Holdfast client) {
        return (int) limited.inUse().stream()
                .flatMap(report -> report.waiters().stream())
                .filter(waiter -> waiter.client().id().equals(client.clientId()))
                .count();
    }

    private List<String> order() {
        sim.runUntil(() -> waiting.stream().allMatch(CompletableFuture::isDone), LONG);
        return served.entrySet().stream()
                .sorted(Comparator.comparing(Map.Entry::getKey))
                .map(Map.Entry::getValue)
                .toList();
    }

    @Test
    void aThousandWaitersOfOneClientAreServedInTheOrderOfTheirArrivalAmongThoseOfOthers() throws InterruptedException {
        Lease held = c.fairLock("n").acquire();
        List<String> arrived = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            arrived.add("c" + i);
            waiter(c, "c" + i);
            sim.runFor(Duration.ofMillis(1));
            if (i % 10 == 5) {
                arrived.add("d" + i);
                waiter(d, "d" + i);
                arrived.add("e" + i);
                waiter(e, "e" + i);
            }
            sim.runFor(Duration.ofMillis(1));
        }
        assertThat(places(c)).isEqualTo(PLACES);
        held.close();
        assertThat(order()).isEqualTo(arrived);
        assertThat(refusedPlaces).isEmpty();
    }

    @Test
    void aWaiterThatLeavesMakesRoomForTheNext() throws InterruptedException {
        Lease held = d.fairLock("n").acquire();
        List<CompletableFuture<Lease>> waiters = new ArrayList<>();
        for (int i = 0; i < PLACES + 2; i++) {
            waiters.add(c.fairLock("n").async().acquire());
        }
        sim.runFor(Duration.ofMillis(1));
        waiters.get(3).cancel(false);
        sim.runFor(Duration.ofMillis(1));
        assertThat(places(c)).isEqualTo(PLACES);
        assertThat(refusedPlaces).isEmpty();
        long before = calls(c);
        waiters.get(PLACES + 1).cancel(false);
        sim.runFor(Duration.ofMillis(1));
        assertThat(calls(c) - before).as("it had no place").isZero();
        waiters.forEach(waiter -> waiter.cancel(false));
        held.close();
    }

    /** The positions of the waiters that were served by a handoff are withdrawn by the release that ends the tenure. */
    @Test
    void aWaiterThatArrivesDuringHandoffsWaitsForTheEndOfTheTenure() throws InterruptedException {
        Lease held = d.fairLock("n").acquire();
        List<CompletableFuture<Lease>> waiters = new ArrayList<>();
        for (int i = 0; i < PLACES + 4; i++) {
            waiters.add(c.fairLock("n").async().acquire());
        }
        sim.runFor(Duration.ofMillis(1));
        held.close();
        for (int i = 0; i < waiters.size(); i++) {
            sim.runUntil(waiters.get(i)::isDone, LONG);
            if (i == PLACES / 2) {
                waiters.add(c.fairLock("n").async().acquire());
                sim.runFor(Duration.ofMillis(1));
            }
            waiters.get(i).join().close();
        }
        assertThat(refusedPlaces).isEmpty();
    }

    @Test
    void aWaiterWhoseFirstRequestFailedKeepsItsTurn() throws InterruptedException {
        Lease held = d.fairLock("n").acquire();
        limited.connection(c.clientId()).faults().next(Operation.ACQUIRE, Fault.FAIL_BEFORE);
        waiter(c, "first");
        sim.runFor(Duration.ofMillis(5));
        waiter(e, "second");
        sim.runFor(Duration.ofMillis(100));
        held.close();
        assertThat(order()).containsExactly("first", "second");
    }

    @Test
    void waitersBeyondTheLimitCostNoCall() throws InterruptedException {
        Lease held = d.fairLock("n").acquire();
        for (int i = 0; i < PLACES; i++) {
            waiter(c, "c" + i);
        }
        sim.runFor(Duration.ofMillis(1));
        long before = calls(c);
        for (int i = 0; i < 100; i++) {
            waiter(c, "later" + i);
        }
        sim.runFor(Duration.ofMillis(1));
        assertThat(calls(c) - before).isZero();
        held.close();
        assertThat(order()).hasSize(PLACES + 100);
    }
}
