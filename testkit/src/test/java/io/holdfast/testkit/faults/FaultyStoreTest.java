package io.holdfast.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.spi.TenureId;
import io.holdfast.testkit.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class FaultyStoreTest {

    private static final String NAME = "n";

    private final Simulation simulation = Simulation.of(5);
    private final List<Signal> signals = new ArrayList<>();
    private final FaultyStore store = open("a");
    private final FaultyStore other = open("b");
    private final TenureId tenure = new TenureId("a", 1);

    private FaultyStore open(String client) {
        return simulation.server("s").open(config(client, simulation, signals::add));
    }

    private static StoreConfig config(String client, Simulation simulation, Consumer<Signal> signals) {
        LockReport.Client identity = LockReport.Client.unknown(client);
        return StoreConfig.of("simulated:s", identity, simulation)
                .withClient(identity, signals, name -> Optional.empty());
    }

    @AfterEach
    void close() {
        store.close();
        other.close();
        simulation.close();
    }

    private CompletableFuture<Acquire.Reply> acquire() {
        return acquire(store, tenure);
    }

    private static CompletableFuture<Acquire.Reply> acquire(FaultyStore store, TenureId tenure) {
        return store.acquire(Acquire.of(NAME, tenure, Duration.ofSeconds(30)).queued(Acquire.Queueing.BARGING, 0))
                .toCompletableFuture();
    }

    private CompletableFuture<List<Renew.Reply>> renew() {
        return store.renew(List.of(new Renew(NAME, tenure, Duration.ofSeconds(30), 0)))
                .toCompletableFuture();
    }

    private CompletableFuture<Release.Reply> release() {
        return store.release(Release.of(NAME, tenure)).toCompletableFuture();
    }

    private boolean isHeld() {
        return simulation.await(other.inspect(NAME)).holder().isPresent();
    }

    private static void assertFailed(CompletionStage<?> stage, Effect effect) {
        assertThat(stage.toCompletableFuture()).isCompletedExceptionally();
        assertThat(stage.toCompletableFuture().handle((value, e) -> e).join())
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.effect()).isEqualTo(effect));
    }

    @Nested
    class Requests {

        @Test
        void passWhenNothingIsSet() {
            assertThat(acquire()).isCompletedWithValueMatching(Acquire.Granted.class::isInstance);
            assertThat(store.faults().counts()).isEmpty();
        }

        @Test
        void areLost() {
            store.faults().next(Operation.ACQUIRE, Fault.DROP_REQUEST);
            CompletableFuture<Acquire.Reply> reply = acquire();
            simulation.runFor(Duration.ofSeconds(1));
            assertThat(reply).isNotDone();
            assertThat(isHeld()).isFalse();
            assertThat(store.faults().count(Fault.DROP_REQUEST)).isEqualTo(1);
        }

        @Test
        void mayBeLostForEverOrTimeOut() {
            Set<Boolean> answered = new HashSet<>();
            for (int i = 0; i < 20; i++) {
                store.faults().next(Operation.RENEW, Fault.DROP_REQUEST);
                store.faults().next(Operation.INSPECT, Fault.DROP_REPLY);
                CompletableFuture<List<Renew.Reply>> renewed = renew();
                CompletableFuture<LockReport> inspected = store.inspect(NAME).toCompletableFuture();
                simulation.runFor(Duration.ofSeconds(3));
                answered.add(renewed.isDone());
                if (renewed.isDone()) {
                    assertThat(renewed.join()).singleElement().isInstanceOf(Renew.Failed.class);
                }
                if (inspected.isDone()) {
                    assertFailed(inspected, Effect.UNKNOWN);
                }
            }
            assertThat(answered).containsExactlyInAnyOrder(true, false);
        }

        @Test
        void areAppliedAndTheReplyIsLost() {
            store.faults().next(Operation.ACQUIRE, Fault.DROP_REPLY);
            assertThat(acquire()).isNotDone();
            assertThat(isHeld()).isTrue();
        }

        @Test
        void areAppliedLater() {
            store.faults().next(Operation.ACQUIRE, Fault.DELAY_REQUEST);
            CompletableFuture<Acquire.Reply> reply = acquire();
            assertThat(isHeld()).isFalse();
            simulation.runFor(Duration.ofSeconds(4));
            assertThat(isHeld()).isTrue();
            assertThat(reply).isCompletedWithValueMatching(Acquire.Granted.class::isInstance);
        }

        @Test
        void areAppliedAndAnsweredLater() {
            store.faults().next(Operation.ACQUIRE, Fault.DELAY_REPLY);
            CompletableFuture<Acquire.Reply> reply = acquire();
            assertThat(isHeld()).isTrue();
            assertThat(reply).isNotDone();
            simulation.runFor(Duration.ofSeconds(4));
            assertThat(reply).isCompletedWithValueMatching(Acquire.Granted.class::isInstance);
        }

        @Test
        void areAppliedTwice() {
            store.faults().next(Operation.ACQUIRE, Fault.DOUBLE_REQUEST);
            assertThat(acquire()).isCompletedWithValueMatching(Acquire.Granted.class::isInstance);
            assertThat(simulation.await(release()).held()).isTrue();
            assertThat(isHeld()).isFalse();
            simulation.runFor(Duration.ofSeconds(4));
            assertThat(isHeld()).isTrue();
        }

        @Test
        void failWithoutBeingApplied() {
            store.faults().next(Operation.ACQUIRE, Fault.FAIL_BEFORE);
            assertFailed(acquire(), Effect.NOT_APPLIED);
            assertThat(isHeld()).isFalse();
        }

        @Test
        void failThoughTheyWereApplied() {
            store.faults().next(Operation.ACQUIRE, Fault.FAIL_AFTER);
            assertFailed(acquire(), Effect.UNKNOWN);
            assertThat(isHeld()).isTrue();
        }

        @Test
        void ofRenewalFailOneByOne() {
            store.faults().next(Operation.RENEW, Fault.FAIL_AFTER).next(Operation.RENEW, Fault.FAIL_BEFORE);
            assertThat(renew().join()).singleElement().isInstanceOf(Renew.Failed.class);
            assertFailed(renew(), Effect.NOT_APPLIED);
        }

        @Test
        void failInAnOutage() {
            store.faults().outage(true);
            assertFailed(acquire(), Effect.NOT_APPLIED);
            assertFailed(renew(), Effect.NOT_APPLIED);
            assertFailed(release(), Effect.NOT_APPLIED);
            assertFailed(store.confirmSignals(), Effect.NOT_APPLIED);
            store.faults().outage(false);
            assertThat(acquire()).isCompletedWithValueMatching(Acquire.Granted.class::isInstance);
            simulation.runReady();
            assertThat(signals).containsExactly(new Signal.Gap());
        }

        @Test
        void sufferOnlyTheFaultsOfTheirKind() {
            assertThatThrownBy(() -> store.faults().next(Operation.ACQUIRE, Fault.DROP_SIGNAL))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> store.faults().next(Operation.SIGNAL, Fault.DROP_REPLY))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Nested
    class HeldBack {

        @Test
        void requestsAreAppliedWhenTheyAreLetGo() {
            Held held = store.faults().holdRequest(Operation.ACQUIRE);
            assertThat(held.isCaught()).isFalse();
            CompletableFuture<Acquire.Reply> reply = acquire();
            assertThat(held.isCaught()).isTrue();
            assertThat(isHeld()).isFalse();
            held.letGo();
            assertThat(isHeld()).isTrue();
            assertThat(reply).isCompletedWithValueMatching(Acquire.Granted.class::isInstance);
        }

        @Test
        void requestsMayBeLetGoTwice() {
            Held held = store.faults().holdRequest(Operation.ACQUIRE);
            assertThat(acquire()).isNotDone();
            held.letGo();
            assertThat(simulation.await(release()).held()).isTrue();
            held.letGo();
            assertThat(isHeld()).isTrue();
        }

        @Test
        void repliesComeWhenTheyAreLetGo() {
            Held held = store.faults().holdReply(Operation.ACQUIRE);
            CompletableFuture<Acquire.Reply> reply = acquire();
            assertThat(held.isCaught()).isTrue();
            assertThat(isHeld()).isTrue();
            assertThat(reply).isNotDone();
            held.letGo();
            assertThat(reply).isCompletedWithValueMatching(Acquire.Granted.class::isInstance);
        }

        @Test
        void onlyTheNextOneOfItsKindIs() {
            Held held = store.faults().holdReply(Operation.RELEASE);
            assertThat(acquire()).isDone();
            assertThat(release()).isNotDone();
            assertThat(release()).isDone();
            held.letGo();
        }

        @Test
        void whatWasLetGoEarlyPassesAtOnce() {
            Held held = store.faults().holdReply(Operation.ACQUIRE);
            held.letGo();
            assertThat(acquire()).isDone();
        }

        @Test
        void signalsAreChosenByKind() {
            Held held = store.faults().holdSignal(Signal.Revoked.class);
            assertThat(acquire()).isDone();
            assertThat(acquire(other, new TenureId("b", 1))).isDone();
            assertThat(simulation.await(other.forceRelease(NAME))).isPresent();
            simulation.runReady();
            assertThat(signals).containsExactlyInAnyOrder(new Signal.Wanted(NAME), new Signal.Freed(NAME));
            assertThat(held.isCaught()).isTrue();
            held.letGo();
            assertThat(signals).last().isEqualTo(new Signal.Revoked(NAME, tenure));
        }
    }

    @Nested
    class Signals {

        private void wanted() {
            assertThat(acquire()).isDone();
            assertThat(acquire(other, new TenureId("b", 1))).isDone();
            simulation.runReady();
        }

        @Test
        void areLost() {
            store.faults().next(Operation.SIGNAL, Fault.DROP_SIGNAL);
            wanted();
            simulation.runFor(Duration.ofSeconds(4));
            assertThat(signals).isEmpty();
        }

        @Test
        void comeLater() {
            store.faults().next(Operation.SIGNAL, Fault.DELAY_SIGNAL);
            wanted();
            assertThat(signals).isEmpty();
            simulation.runFor(Duration.ofSeconds(4));
            assertThat(signals).hasSize(1);
        }

        @Test
        void comeTwice() {
            store.faults().next(Operation.SIGNAL, Fault.DOUBLE_SIGNAL);
            wanted();
            assertThat(signals).hasSize(1);
            simulation.runFor(Duration.ofSeconds(4));
            assertThat(signals).hasSize(2);
        }

        @Test
        void areLostInAnOutage() {
            store.faults().outage(true);
            other.faults().outage(true);
            other.faults().outage(false);
            assertThat(acquire(other, new TenureId("b", 1))).isDone();
            simulation.runReady();
            store.faults().outage(false);
            simulation.runReady();
            assertThat(signals).containsExactly(new Signal.Gap(), new Signal.Gap());
        }
    }

    @Nested
    class AtRandom {

        @Test
        void everyFaultHappens() {
            simulation.server("s").faults(faults -> faults.probability(0.1));
            for (int i = 0; i < 300; i++) {
                TenureId each = new TenureId("a", i);
                var first = acquire(store, each);
                var second = acquire(other, new TenureId("b", i));
                var third = store.release(Release.of(NAME, each).withYield(true));
                var fourth =
                        other.release(Release.of(NAME, new TenureId("b", i)).withYield(true));
                simulation.runFor(Duration.ofSeconds(1));
                assertThat(List.of(first, second, third, fourth)).hasSize(4);
            }
            assertThat(store.faults().counts()).containsOnlyKeys(Fault.values());
        }

        @Test
        void theSameSeedGivesTheSameFaults() {
            assertThat(logWithFaults(1)).isEqualTo(logWithFaults(1)).isNotEqualTo(logWithFaults(2));
        }

        private List<String> logWithFaults(long seed) {
            try (Simulation run = Simulation.of(seed)) {
                run.server("s").faults(faults -> faults.probability(0.1));
                StoreConfig config = config("a", run, signal -> run.log(signal.toString()));
                FaultyStore faulty = run.server("s").open(config);
                for (int i = 0; i < 100; i++) {
                    var unused = acquire(faulty, new TenureId("a", i))
                            .whenComplete((reply, e) -> run.log(reply + " or " + e));
                    run.runFor(Duration.ofMillis(100));
                }
                faulty.close();
                return run.log();
            }
        }

        @Test
        void sparedOperationsAreSpared() {
            store.faults().probability(Fault.FAIL_BEFORE, 1).spare(Operation.ACQUIRE);
            assertThat(acquire()).isCompletedWithValueMatching(Acquire.Granted.class::isInstance);
            assertFailed(release(), Effect.NOT_APPLIED);
        }

        @Test
        void delaysAreOfEveryOrderOfMagnitude() {
            Faults faults = new Faults(simulation).maxDelay(Duration.ofSeconds(4));
            List<Long> delays = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                delays.add(faults.delayNanos());
            }
            assertThat(delays).allMatch(delay -> delay >= 0 && delay < 4_000_000_000L);
            assertThat(delays).anyMatch(delay -> delay > 1_000_000_000L).anyMatch(delay -> delay < 2_000_000L);
        }
    }
}
