package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.Immutable;
import io.holdfast.Holdfast;
import io.holdfast.IndeterminateLockException;
import io.holdfast.LockEvent;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.testkit.SimThread;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store in which other clients always write faster. Nothing is granted, and nothing is in doubt. */
class ContendedTest extends VirtualTime {

    /** The time after which a request that always loses fails. */
    private static final Duration RACES = Duration.ofMillis(1_500);

    private static final Duration WAIT = Duration.ofSeconds(5);
    private static final Duration LONGER_THAN_AN_OUTAGE = Duration.ofMinutes(1);

    private final Platform.Timer timer = sim.timer("races");
    private boolean crowded = true;
    private Effect firstEffect = Effect.CONTENDED;

    private final Holdfast c = client(
            "c",
            options -> options.provider(provider(config -> new ForwardingStore(server.open(config)) {
                @Override
                public CompletionStage<Acquire.Reply> acquire(Acquire request) {
                    return crowded ? loses() : super.acquire(request);
                }
            })));

    private CompletionStage<Acquire.Reply> loses() {
        CompletableFuture<Acquire.Reply> answer = new CompletableFuture<>();
        Effect effect = firstEffect;
        firstEffect = Effect.CONTENDED;
        timer.schedule(
                effect == Effect.UNKNOWN ? 1 : RACES.toNanos(),
                () -> answer.completeExceptionally(new StoreException(effect, "other clients wrote faster 9 times")));
        return answer;
    }

    @BeforeEach
    void permits() {
        a.semaphore("n").trySetPermits(1);
    }

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
        timer.close();
    }

    /** Ways to ask for something that is free. */
    private enum Kind {
        LOCK((client, wait) -> client.lock("n").tryAcquire(wait).isPresent()),
        FAIR((client, wait) -> client.fairLock("n").tryAcquire(wait).isPresent()),
        READ((client, wait) ->
                client.readWriteLock("n").readLock().tryAcquire(wait).isPresent()),
        PERMIT((client, wait) -> client.semaphore("n").tryAcquire(1, wait).isPresent());

        private final Try attempt;

        Kind(Try attempt) {
            this.attempt = attempt;
        }

        @Immutable
        private interface Try {
            boolean within(Holdfast client, Duration wait) throws InterruptedException;
        }
    }

    private void assertNotAcquired(Kind kind, Duration wait) {
        assertThatThrownBy(() -> kind.attempt.within(c, wait))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("'n' was not acquired after")
                .hasMessageContaining("other clients wrote faster");
    }

    @ParameterizedTest
    @EnumSource
    void acquiresWhenTheCrowdHasGone(Kind kind) {
        SimThread waiter =
                start("waiter", () -> assertThat(kind.attempt.within(c, LONG)).isTrue());
        sim.runFor(LONGER_THAN_AN_OUTAGE);
        assertThat(waiter.done()).isFalse();
        assertThat(c.health().failingSince()).as("the store answers").isEmpty();
        crowded = false;
        sim.runUntil(waiter::done, WAIT);
        waiter.join();
        assertThat(events).noneMatch(LockEvent.Lost.class::isInstance);
        c.close();
    }

    @ParameterizedTest
    @EnumSource
    void endsAWaitAfterItsTimeWithoutADoubt(Kind kind) {
        Duration began = sim.elapsed();
        assertNotAcquired(kind, WAIT);
        assertThat(sim.elapsed().minus(began)).isBetween(WAIT, WAIT.plus(RACES));
        assertThat(c.stats().unsettled())
                .as("releases of grants that are in doubt")
                .isZero();
    }

    @ParameterizedTest
    @EnumSource
    void namesTheDoubtOfAnEarlierRequest(Kind kind) {
        firstEffect = Effect.UNKNOWN;
        assertThatThrownBy(() -> kind.attempt.within(c, WAIT))
                .isInstanceOf(IndeterminateLockException.class)
                .hasMessageContainingAll(
                        "outcome unknown after",
                        "ms: an earlier request has no answer, and the last one failed: other clients wrote faster",
                        "may have granted it");
    }

    @ParameterizedTest
    @EnumSource
    void endsATryAfterOneRequestWithoutADoubt(Kind kind) {
        long before = calls(c);
        assertNotAcquired(kind, Duration.ZERO);
        assertThat(calls(c) - before).isOne();
    }
}
