package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.Safety;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.TogetherStore;
import io.holdfast.testkit.SimThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Locks of one client that want their grants to be in different places. */
class LockSafetyTest extends VirtualTime {

    private static final Safety TWO = Safety.replicated(2);
    private static final LockOptions ON_TWO = LockOptions.defaults().withSafety(TWO);

    private static final String MIXED = "a batch of several safeties";

    private final List<String> asked = new ArrayList<>();
    private CompletionStage<Void> replicas = CompletableFuture.completedStage(null);

    private final StoreProvider recorded = provider(config -> new Recorder(server.open(config)));
    private final Holdfast c = client("c", options -> options.provider(recorded));

    /** Notes what is wanted; what wants replicas is done when they are there. */
    private final class Recorder extends ForwardingStore {

        Recorder(LockStore store) {
            super(store);
        }

        private <T> CompletionStage<T> noted(String what, Safety safety, CompletionStage<T> reply) {
            asked.add(what + " " + safety);
            return safety.equals(Safety.async())
                    ? reply
                    : reply.thenCompose(value -> replicas.thenApply(nothing -> value));
        }

        /** The first request to a server comes too late, as its time is not known yet. */
        @Override
        public CompletionStage<Acquire.Reply> acquire(Acquire request) {
            return super.acquire(request)
                    .thenCompose(reply -> reply instanceof Acquire.Late
                            ? CompletableFuture.completedStage(reply)
                            : noted(
                                    "acquire " + request.name(),
                                    reply instanceof Acquire.Granted ? request.safety() : Safety.async(),
                                    CompletableFuture.completedStage(unheard(request, reply))));
        }

        @Override
        public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
            Safety safety = batch.get(0).safety();
            if (batch.stream().anyMatch(request -> !request.safety().equals(safety))) {
                asked.add(MIXED);
            }
            return noted("renew " + batch.get(0).name(), safety, super.renew(batch));
        }

        @Override
        public Optional<TogetherStore> together() {
            return Optional.empty();
        }
    }

    @Test
    void aLockMayWantMoreThanItsClient() throws InterruptedException {
        Lease more = c.lock("more", ON_TWO).acquire();
        Lease plain = c.lock("plain").acquire();
        assertThat(asked).containsExactly("acquire more replicated(2)", "acquire plain async");
        plain.close();
        sim.runFor(LEASE.dividedBy(2));
        assertThat(asked).contains("renew more replicated(2)").doesNotContain("renew more async");
        more.close();
    }

    @Test
    void aLockMayWantLessThanItsClient() throws InterruptedException {
        Holdfast safe = client("safe", options -> options.provider(recorded).safety(TWO));
        safe.lock("n").acquire().close();
        safe.lock("n", LockOptions.defaults().withSafety(Safety.async()))
                .acquire()
                .close();
        assertThat(asked).containsExactly("acquire n replicated(2)", "acquire n async");
    }

    @Test
    void oneThatWantsMoreAsksForItselfThoughItsClientHasTheName() throws Exception {
        CompletableFuture<Void> arrived = new CompletableFuture<>();
        replicas = arrived;
        Lease first = c.lock("n").acquire();
        CompletableFuture<Lease> next = c.lock("n", ON_TWO).async().acquire();
        sim.runFor(Duration.ofMillis(100));
        first.close();
        sim.runFor(Duration.ofMillis(100));
        assertThat(asked.get(asked.size() - 1)).isEqualTo("acquire n replicated(2)");
        assertThat(next).isNotDone();
        arrived.complete(null);
        sim.runFor(Duration.ofMillis(100));
        assertThat(next).isCompleted();
        assertThat(next.join().token()).isGreaterThan(first.token());
        next.join().close();
    }

    @Test
    void whoWaitsForReplicasThatDoNotComeGivesWay() throws Exception {
        CompletableFuture<Void> arrived = new CompletableFuture<>();
        replicas = arrived;
        Lease first = c.lock("n").acquire();
        CompletableFuture<Lease> stuck = c.lock("n", ON_TWO).async().acquire();
        CompletableFuture<Lease> other = c.lock("n").async().acquire();
        sim.runFor(Duration.ofMillis(100));
        first.close();
        sim.runFor(Duration.ofMillis(100));
        replicas = new CompletableFuture<>();
        arrived.completeExceptionally(new StoreException(Effect.UNCONFIRMED, "too few"));
        sim.runFor(Duration.ofMillis(100));
        assertThat(other).isCompleted();
        assertThat(stuck).isNotDone();
        replicas = CompletableFuture.completedStage(null);
        other.join().close();
        sim.runFor(Duration.ofSeconds(5));
        assertThat(stuck).isCompleted();
        stuck.join().close();
    }

    @Test
    void oneBatchOfRenewalsIsForOneSafety() throws InterruptedException {
        c.lock("first").acquire().close();
        CompletableFuture<Lease> one = c.lock("plain").async().acquire();
        CompletableFuture<Lease> other = c.lock("more", ON_TWO).async().acquire();
        sim.runFor(Duration.ofMillis(100));
        Lease plain = one.join();
        Lease more = other.join();
        replicas = new CompletableFuture<>();
        sim.runFor(LEASE.multipliedBy(2));
        assertThat(plain.isValid()).isTrue();
        assertThat(more.isValid()).isFalse();
        assertThat(asked)
                .contains("renew plain async", "renew more replicated(2)")
                .doesNotContain(MIXED);
        plain.close();
        assertThatThrownBy(more::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void theyHaveTheirTurnInTheOrderOfArrival() throws InterruptedException {
        Lease held = a.lock("n").acquire();
        List<String> order = new ArrayList<>();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (String who : List.of("first", "second, who wants more", "third")) {
            LockOptions options = who.startsWith("second") ? ON_TWO : LockOptions.defaults();
            all.add(c.fairLock("n", options).async().acquire().thenAccept(lease -> {
                order.add(who);
                lease.close();
            }));
            sim.runFor(Duration.ofMillis(10));
        }
        held.close();
        sim.runUntil(() -> all.stream().allMatch(CompletableFuture::isDone), LONG);
        assertThat(order).containsExactly("first", "second, who wants more", "third");
    }

    @Test
    void whoWantsMoreHasATurnWhileOthersHandTheNameOn() {
        boolean[] stop = {false};
        List<SimThread> busy = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            busy.add(start("busy" + i, () -> {
                while (!stop[0]) {
                    c.lock("n").lock();
                    sim.sleep(Duration.ofMillis(1));
                    c.lock("n").unlock();
                }
            }));
        }
        sim.runFor(Duration.ofSeconds(3));
        Duration began = sim.elapsed();
        CompletableFuture<Lease> more = c.lock("n", ON_TWO).async().acquire();
        sim.runUntil(more::isDone, Duration.ofSeconds(2));
        assertThat(sim.elapsed().minus(began)).isLessThan(Duration.ofMillis(200));
        more.join().close();
        stop[0] = true;
        busy.forEach(SimThread::join);
    }

    @Test
    void aReaderThatWantsMoreDoesNotJoinThoseWhoWantLess() throws InterruptedException {
        Lease plain = c.readWriteLock("n").readLock().acquire();
        Lease joined = c.readWriteLock("n").readLock().acquire();
        Lease more = c.readWriteLock("n", ON_TWO).readLock().acquire();
        assertThat(asked).containsExactly("acquire n async", "acquire n replicated(2)");
        plain.close();
        joined.close();
        more.close();
    }

    @Test
    void whatLingersIsNotTakenAsItIsByOneThatWantsMore() throws InterruptedException {
        c.lock("n", LockOptions.defaults().withLinger(Duration.ofSeconds(5)))
                .acquire()
                .close();
        c.lock("n", ON_TWO).acquire().close();
        assertThat(asked).containsExactly("acquire n async", "acquire n replicated(2)");
    }

    @Test
    void aWatchdogLevelKeepsTheSafetyOfTheLeaseThatItIsEnteredOver() {
        DistributedLock plain = c.lock("n");
        DistributedLock more = c.lock("n", ON_TWO);
        more.lock(Duration.ofSeconds(5));
        plain.lock();
        sim.runFor(LEASE);
        assertThat(asked).contains("renew n replicated(2)").doesNotContain("renew n async");
        plain.unlock();
        assertThatThrownBy(more::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aThreadEntersWhatItHoldsAsItIs() throws InterruptedException {
        DistributedLock plain = c.lock("n");
        DistributedLock more = c.lock("n", ON_TWO);
        plain.lock();
        more.lock();
        assertThat(asked).containsExactly("acquire n async");
        more.unlock();
        plain.unlock();
    }

    @Test
    void aStoreThatCannotDoItRefusesTheLock() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> a.lock("n", ON_TWO))
                .withMessage(
                        "safety replicated(2): a store of the scheme 'simulated' cannot wait for replicas or disks; "
                                + "leave it out, or choose a store that can, as Redis");
    }

    @Test
    void aLevelIsShownAsItIsWritten() {
        assertThat(List.of(Safety.async(), TWO, Safety.durable(), Safety.durable(2)))
                .map(Safety::toString)
                .containsExactly("async", "replicated(2)", "durable", "durable(2)");
    }
}
