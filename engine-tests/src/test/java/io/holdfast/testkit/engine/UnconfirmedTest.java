package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Permit;
import io.holdfast.Safety;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Grants that are not where they were wanted. */
@Tag("slow")
class UnconfirmedTest extends VirtualTime {

    private static final LockOptions USUAL = LockOptions.defaults();
    private static final Duration MOMENT = Duration.ofMillis(100);
    private static final Duration COMMAND = Duration.ofSeconds(2);

    private static final CompletionStage<Void> THERE = CompletableFuture.completedStage(null);

    private CompletionStage<Void> replica = THERE;
    private boolean reachable = true;
    private @Nullable Duration late;

    /** The time for which a release is on its way. */
    private Duration slowRelease = Duration.ZERO;

    /** If set, no request of {@code c} takes a position in the queue. */
    private boolean withoutPosition;

    private final Platform.Timer timer = sim.timer("replica");

    private final Holdfast c = unconfirmed("c", options -> options);

    private Holdfast unconfirmed(String name, UnaryOperator<HoldfastBuilder> more) {
        return client(
                name,
                options -> more.apply(options.provider(provider(this::open)).safety(Safety.replicated(1))));
    }

    private LockStore open(StoreConfig config) {
        return new ForwardingStore(server.open(config)) {
            @Override
            public CompletionStage<Acquire.Reply> acquire(Acquire request) {
                if (!reachable) {
                    return CompletableFuture.failedStage(new StoreException(Effect.NOT_APPLIED, "unreachable"));
                }
                return super.acquire(withoutPosition ? request.queued(Acquire.Queueing.NONE, 0) : request)
                        .thenCompose(reply -> reply instanceof Acquire.Granted
                                        && !config.safety().equals(Safety.async())
                                ? replica().thenApply(there -> reply)
                                : CompletableFuture.completedStage(unheard(config.safety(), reply)));
            }

            @Override
            public CompletionStage<Release.Reply> release(Release request) {
                return slowRelease.isZero()
                        ? super.release(request)
                        : after(slowRelease).thenCompose(passed -> super.release(request));
            }
        };
    }

    private CompletionStage<Void> after(Duration time) {
        CompletableFuture<Void> passed = new CompletableFuture<>();
        timer.schedule(time.toNanos(), () -> passed.complete(null));
        return passed;
    }

    private CompletionStage<Void> replica() {
        return late == null ? replica : goneAfter(late);
    }

    @AfterEach
    void nothingIsLeft() {
        timer.close();
        assertNothingIsLeft();
    }

    private static CompletionStage<Void> gone() {
        return CompletableFuture.failedStage(tooFew());
    }

    private static StoreException tooFew() {
        return new StoreException(Effect.UNCONFIRMED, "no replica has it");
    }

    private static void assertIndeterminate(CompletableFuture<?> asked, String reason) {
        assertThat(asked)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(IndeterminateLockException.class)
                .withMessageContaining(reason);
    }

    private static DistributedLock lock(Holdfast client, boolean fair, LockOptions options) {
        return fair ? client.fairLock("n", options) : client.lock("n", options);
    }

    /** Waits behind another client, and then finds that no replica is there. */
    private CompletableFuture<Lease> stuck(boolean fair) throws InterruptedException {
        Lease first = a.lock("n").acquire();
        CompletableFuture<Lease> stuck = lock(c, fair, USUAL).async().acquire();
        sim.runFor(MOMENT);
        replica = gone();
        first.close();
        sim.runFor(MOMENT);
        assertThat(stuck).isNotDone();
        return stuck;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatCountsForNobodyKeepsNobodyOff(boolean fair) throws InterruptedException {
        CompletableFuture<Lease> stuck = stuck(fair);
        for (int i = 0; i < 5; i++) {
            CompletableFuture<Lease> other =
                    lock(b, fair, LockOptions.defaults()).async().acquire();
            sim.runFor(Duration.ofMillis(1_500));
            assertThat(other).isCompleted();
            other.join().close();
        }
        assertThat(stuck).isNotDone();
        replica = THERE;
        sim.runFor(Duration.ofSeconds(5));
        assertThat(stuck).isCompleted();
        stuck.join().close();
    }

    /** Two of one client, whom the store would else serve in turn. */
    @Test
    void inOrderOthersHaveTheirTurnBefore() throws InterruptedException {
        Lease first = a.lock("n").acquire();
        List<CompletableFuture<Lease>> stuck = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            stuck.add(c.fairLock("n", USUAL).async().acquire());
            sim.runFor(MOMENT);
        }
        List<CompletableFuture<Lease>> others = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            others.add(b.fairLock("n").async().acquire());
            sim.runFor(MOMENT);
        }
        replica = gone();
        first.close();
        for (CompletableFuture<Lease> other : others) {
            sim.runFor(MOMENT);
            assertThat(other).isCompleted();
            other.join().close();
        }
        assertThat(stuck).noneMatch(CompletableFuture::isDone);
        replica = THERE;
        for (CompletableFuture<Lease> each : stuck) {
            sim.runUntil(each::isDone, LONG);
            each.join().close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWaitInVainEndsThoughOthersAreServed(boolean fair) throws InterruptedException {
        Duration began = sim.elapsed();
        CompletableFuture<Lease> stuck = stuck(fair);
        while (!stuck.isDone()) {
            CompletableFuture<Lease> other =
                    lock(b, fair, LockOptions.defaults()).async().acquire();
            sim.runUntil(other::isDone, LONG);
            sim.runFor(Duration.ofSeconds(1));
            other.join().close();
            assertThat(sim.elapsed().minus(began)).isLessThan(Duration.ofSeconds(35));
        }
        assertIndeterminate(stuck, "no replica has it");
    }

    /** The server is gone right after the grant, which it may still have. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatMayStandIsNotCalledUnavailable(boolean fair) {
        replica = gone();
        CompletableFuture<Lease> asked = lock(c, fair, USUAL).async().acquire();
        sim.runFor(Duration.ofMillis(5));
        reachable = false;
        sim.runFor(Duration.ofSeconds(5));
        assertIndeterminate(asked, "unreachable");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoseTimeIsUpIsToldThatItMayBeHeld(boolean fair) throws InterruptedException {
        Lease first = a.lock("n").acquire();
        CompletableFuture<Optional<Lease>> stuck = lock(c, fair, USUAL).async().tryAcquire(Duration.ofSeconds(5));
        sim.runFor(MOMENT);
        replica = gone();
        first.close();
        sim.runFor(Duration.ofSeconds(6));
        assertIndeterminate(stuck, "no replica has it");
    }

    // ---- the bounds of a wait, when each answer takes a while and counts for nobody

    private CompletionStage<Void> goneAfter(Duration time) {
        return after(time).thenCompose(passed -> gone());
    }

    private Duration took(CompletableFuture<?> asked) {
        Duration began = sim.elapsed();
        sim.runUntil(asked::isDone, LONG);
        return sim.elapsed().minus(began);
    }

    /** The last request is left with 350 ms, or with 30 ms, or is the only one. */
    @ParameterizedTest
    @CsvSource({"false,800", "true,800", "false,640", "true,640", "false,1990", "true,1990"})
    void aTryEndsWithTheCommandTimeout(boolean fair, int answer) {
        late = Duration.ofMillis(answer);
        CompletableFuture<Optional<Lease>> asked = lock(c, fair, USUAL).async().tryAcquire();
        assertThat(took(asked)).isBetween(COMMAND.minusMillis(10), COMMAND.plusMillis(20));
        assertIndeterminate(asked, "no replica has it");
    }

    private interface Try {
        CompletableFuture<? extends Optional<? extends AutoCloseable>> by(Holdfast client);
    }

    private static Stream<Named<Try>> exclusive() {
        return Stream.of(
                Named.of("lock", client -> client.lock("n").async().tryAcquire()),
                Named.of("fair lock", client -> client.fairLock("n").async().tryAcquire()),
                Named.of(
                        "write lock",
                        client -> client.readWriteLock("n").writeLock().async().tryAcquire()),
                Named.of("permit", client -> client.semaphore("n").async().tryAcquire()));
    }

    private static Stream<Named<Try>> all() {
        return Stream.concat(
                exclusive(),
                Stream.of(Named.of(
                        "read lock",
                        client -> client.readWriteLock("n").readLock().async().tryAcquire())));
    }

    /** The next request overtakes the release of a grant that did not count, so that grant refuses it. */
    @ParameterizedTest
    @MethodSource("all")
    void isNotBusyByAGrantOfItsOwn(Try kind) {
        a.semaphore("n").trySetPermits(1);
        slowRelease = MOMENT;
        replica = gone();
        CompletableFuture<?> asked = kind.by(c);
        assertThat(took(asked)).isBetween(COMMAND.minusMillis(10), COMMAND.plusMillis(20));
        assertIndeterminate(asked, "no replica has it");
    }

    /** Another client is served after that grant was released, though its own client does not know that it was. */
    @ParameterizedTest
    @MethodSource("exclusive")
    void isBusyByAnotherAfterAGrantOfItsOwn(Try kind) throws Exception {
        a.semaphore("n").trySetPermits(1);
        replica = gone();
        faults(c).next(Operation.RELEASE, Fault.DROP_REPLY);
        CompletableFuture<? extends Optional<?>> asked = kind.by(c);
        sim.runFor(Duration.ofMillis(5));
        CompletableFuture<? extends Optional<? extends AutoCloseable>> theirs = kind.by(b);
        sim.runUntil(theirs::isDone, LONG);
        AutoCloseable other = theirs.join().orElseThrow();
        assertThat(took(asked)).isLessThan(COMMAND);
        assertThat(asked).isCompletedWithValueMatching(Optional::isEmpty);
        other.close();
    }

    /** A newcomer that the grant of the first one refuses has certainly no permit. */
    @Test
    void isNotBusyByAGrantOfTheFirstForAPermit() {
        DistributedSemaphore permit = c.semaphore("n");
        permit.trySetPermits(1);
        slowRelease = Duration.ofSeconds(10);
        replica = gone();
        CompletableFuture<Optional<Permit>> first = permit.async().tryAcquire(1, Duration.ofSeconds(5));
        sim.runFor(Duration.ofMillis(5));
        CompletableFuture<Optional<Permit>> newcomer = permit.async().tryAcquire(1, Duration.ofMillis(300));
        assertThat(took(newcomer)).isLessThan(COMMAND.plusMillis(20));
        assertThat(newcomer)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(StoreUnavailableException.class)
                .withMessageContaining("no replica has it");
        sim.runUntil(first::isDone, LONG);
        assertIndeterminate(first, "no replica has it");
        sim.runFor(Duration.ofSeconds(10));
    }

    /** Other requests, which may take longer, are looked at every 250 ms. */
    @Test
    void aShortRequestIsTimedOutWhenOthersMayTakeLonger() {
        late = Duration.ofMillis(100);
        for (int i = 0; i < 50; i++) {
            CompletableFuture<Optional<Lease>> asked =
                    c.lock("n", USUAL).async().tryAcquire();
            Duration began = sim.elapsed();
            sim.runFor(Duration.ofMillis(1_000 + 5 * i));
            faults(c).next(Operation.INSPECT, Fault.DROP_REPLY);
            SimThread other =
                    start("other", () -> assertThatThrownBy(c.lock("m")::holder).isNotNull());
            sim.runUntil(asked::isDone, LONG);
            assertThat(sim.elapsed().minus(began)).as("%d", i).isLessThan(COMMAND.plusMillis(20));
            sim.runUntil(other::done, LONG);
            other.join();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTimedWaitThatIsNeverAnsweredEndsWithTheCommandTimeout(boolean fair) {
        late = Duration.ofMillis(800);
        CompletableFuture<Optional<Lease>> asked = lock(c, fair, USUAL).async().tryAcquire(Duration.ofSeconds(1));
        assertThat(took(asked)).isLessThan(COMMAND.plusMillis(20));
        assertIndeterminate(asked, "no replica has it");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWaitInVainEndsAfterTheLongestOutage(boolean fair) throws InterruptedException {
        Holdfast d = unconfirmed("d", options -> options.maxOutage(Duration.ofSeconds(5)));
        Lease first = a.lock("n").acquire();
        CompletableFuture<Lease> asked = lock(d, fair, USUAL).async().acquire();
        sim.runFor(MOMENT);
        late = Duration.ofMillis(800);
        first.close();
        assertThat(took(asked)).isBetween(Duration.ofMillis(4_900), Duration.ofMillis(5_100));
        assertIndeterminate(asked, "no replica has it");
    }

    /** The answer comes when nobody waits for it any more; and there is no place in a queue that would be given up. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatStandsIsGivenUpWithTheLastWhoWaited(boolean fair) throws InterruptedException {
        Lease first = a.lock("n").acquire();
        withoutPosition = !fair;
        CompletableFuture<Optional<Lease>> asked = lock(c, fair, USUAL).async().tryAcquire(Duration.ofMillis(300));
        sim.runFor(MOMENT);
        CompletableFuture<Void> open = new CompletableFuture<>();
        replica = open;
        first.close();
        sim.runFor(Duration.ofMillis(500));
        open.completeExceptionally(tooFew());
        sim.runFor(MOMENT);
        assertThat(asked).isCompletedExceptionally();
        CompletableFuture<Lease> other = b.lock("n").async().acquire();
        sim.runFor(MOMENT);
        assertThat(other).isCompleted();
        other.join().close();
    }
}
