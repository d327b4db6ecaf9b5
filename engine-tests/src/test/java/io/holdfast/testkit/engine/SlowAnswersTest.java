package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.Immutable;
import io.holdfast.AsyncLock;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreException;
import io.holdfast.testkit.SimThread;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A store whose answers take longer than the lease that they grant. Each wait ends in its time, and says why. */
class SlowAnswersTest extends VirtualTime {

    private static final Duration SLOW = Duration.ofMillis(150);
    private static final Duration BRIEF = Duration.ofMillis(100);
    private static final Duration COMMAND = Duration.ofSeconds(2);

    /** How the answer to an acquire is put off. */
    private Duration answersAfter = SLOW;

    private boolean renews = true;
    private Runnable beforeEach = () -> {};
    private Optional<Acquire.Reply> inPlaceOf = Optional.empty();

    /** If set, no request takes a position in the queue. */
    private boolean withoutPosition;

    private final Platform.Timer timer = sim.timer("answers");

    private final Holdfast slow = client(
            "slow",
            options -> options.lease(BRIEF).provider(provider(config -> new ForwardingStore(server.open(config)) {
                @Override
                public CompletionStage<Acquire.Reply> acquire(Acquire request) {
                    Acquire sent = withoutPosition ? request.queued(Acquire.Queueing.NONE, 0) : request;
                    return super.acquire(sent).thenCompose(reply -> later(inPlaceOf.orElse(reply)));
                }

                @Override
                public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
                    return renews
                            ? super.renew(batch)
                            : CompletableFuture.failedStage(
                                    new StoreException(StoreException.Effect.NOT_APPLIED, "no renewals"));
                }
            })));

    private CompletionStage<Acquire.Reply> later(Acquire.Reply reply) {
        CompletableFuture<Acquire.Reply> answer = new CompletableFuture<>();
        timer.schedule(answersAfter.toNanos(), () -> {
            beforeEach.run();
            answer.complete(reply);
        });
        return answer;
    }

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
        timer.close();
    }

    /** Ways to ask for something that is free. */
    private enum Kind {
        LOCK((client, wait) -> client.lock("n").tryLock(wait)),
        FAIR((client, wait) -> client.fairLock("n").tryLock(wait)),
        READ((client, wait) -> client.readWriteLock("n").readLock().tryLock(wait)),
        WRITE((client, wait) -> client.readWriteLock("n").writeLock().tryLock(wait)),
        PERMIT((client, wait) -> semaphore(client).tryAcquire(1, wait).isPresent()),
        LEASE((client, wait) -> client.lock("n").tryAcquire(wait).isPresent()),
        OWN_LEASE((client, wait) -> client.lock("n").tryAcquire(wait, BRIEF).isPresent());

        private final Try attempt;

        Kind(Try attempt) {
            this.attempt = attempt;
        }

        @Immutable
        private interface Try {
            boolean within(Holdfast client, Duration wait) throws InterruptedException;
        }
    }

    private static DistributedSemaphore semaphore(Holdfast client) {
        return client.semaphore("n");
    }

    @BeforeEach
    void permits() {
        semaphore(a).trySetPermits(1);
    }

    @ParameterizedTest
    @EnumSource
    void aTimedWaitEndsAfterTheAnswerThatFollowsItsTime(Kind kind) {
        long before = calls(slow);
        Duration began = sim.elapsed();
        assertThatThrownBy(() -> kind.attempt.within(slow, Duration.ofSeconds(1)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("'n'")
                .hasMessageContaining("longer than the lease of 100 ms")
                .hasMessageContaining("use a longer lease");
        assertThat(sim.elapsed().minus(began))
                .isLessThanOrEqualTo(Duration.ofSeconds(1).plus(SLOW.multipliedBy(2)));
        assertThat(calls(slow) - before).isLessThan(16);
    }

    @ParameterizedTest
    @EnumSource
    void aTryWithoutAWaitEndsWithItsSecondAnswer(Kind kind) {
        Duration began = sim.elapsed();
        assertThatThrownBy(() -> kind.attempt.within(slow, Duration.ZERO))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("longer than the lease of 100 ms");
        assertThat(sim.elapsed().minus(began)).isLessThanOrEqualTo(SLOW.multipliedBy(3));
    }

    @ParameterizedTest
    @EnumSource
    void oneSlowAnswerIsNoFailure(Kind kind) throws InterruptedException {
        learnTheClock();
        timer.schedule(SLOW.toNanos() / 2, () -> answersAfter = Duration.ZERO);
        Duration began = sim.elapsed();
        assertThat(kind.attempt.within(slow, Duration.ZERO)).isTrue();
        assertThat(sim.elapsed().minus(began)).isBetween(SLOW, SLOW.multipliedBy(2));
        slow.close();
    }

    @ParameterizedTest
    @EnumSource
    void aStallOfTheProcessEndsNoWait(Kind kind) throws InterruptedException {
        learnTheClock();
        answersAfter = Duration.ZERO;
        AtomicBoolean stalls = new AtomicBoolean(true);
        beforeEach = () -> {
            if (stalls.getAndSet(false)) {
                sim.stall(Duration.ofSeconds(40));
            }
        };
        assertThat(kind.attempt.within(slow, Duration.ofMinutes(5))).isTrue();
        slow.close();
    }

    /** The first request of a client may be answered as too late, by the time that the store then tells. */
    private void learnTheClock() throws InterruptedException {
        answersAfter = Duration.ZERO;
        slow.lock("another").acquire().close();
        answersAfter = SLOW;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anAsynchronousWaitEndsAlike(boolean fair) {
        AsyncLock<Lease> lock =
                fair ? slow.fairLock("n").async() : slow.lock("n").async();
        CompletableFuture<Lease> asked = lock.acquire(Duration.ofSeconds(1));
        sim.runFor(Duration.ofSeconds(2));
        assertThat(asked)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(StoreUnavailableException.class)
                .withMessageContaining("longer than the lease of 100 ms");
    }

    @Test
    void aWaitWithoutATimeEndsWithThePatienceForOutages() {
        Duration began = sim.elapsed();
        assertThatThrownBy(() -> slow.lock("n").lock()).isInstanceOf(StoreUnavailableException.class);
        assertThat(sim.elapsed().minus(began)).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(33));
    }

    /** The clocks part while each request is under way, so that no hold is valid when its owner runs. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void soDoesOneWhoseGrantsAreNeverValid(boolean async) {
        answersAfter = Duration.ofMillis(80);
        renews = false;
        beforeEach = () -> sim.stepWallClock(Duration.ofHours(1));
        // an assignment by a message would have no answer before which the clocks could part
        withoutPosition = true;
        DistributedLock lock = slow.lock("n");
        Duration began = sim.elapsed();
        assertThatThrownBy(() -> {
                    if (async) {
                        sim.await(lock.async().acquire());
                    } else {
                        lock.lock();
                    }
                })
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(sim.elapsed().minus(began)).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(33));
        beforeEach = () -> {};
    }

    @Test
    void itIsHadWhenTheAnswersAreFastAgain() throws InterruptedException {
        CompletableFuture<Lease> asked = slow.lock("n").async().acquire();
        sim.runFor(Duration.ofSeconds(3));
        assertThat(asked).isNotDone();
        answersAfter = Duration.ZERO;
        sim.runFor(Duration.ofSeconds(2));
        assertThat(asked).isCompleted();
        asked.join().close();
    }

    @Test
    void whoeverElseIsInTimeIsNotKeptOff() throws InterruptedException {
        SimThread other = start("other", () -> {
            for (int i = 0; i < 5; i++) {
                assertThat(b.lock("n").tryLock(Duration.ofMillis(1_500))).isTrue();
                b.lock("n").unlock();
                sim.sleep(Duration.ofMillis(10));
            }
        });
        assertThatThrownBy(() -> slow.lock("n").tryLock(Duration.ofSeconds(3)))
                .isInstanceOf(StoreUnavailableException.class);
        other.join();
    }

    @ParameterizedTest
    @EnumSource
    void requestsThatArriveTooLateAgainAndAgainAreSpaced(Kind kind) {
        answersAfter = Duration.ofMillis(1);
        inPlaceOf = Optional.of(new Acquire.Late(1));
        long before = calls(slow);
        Duration began = sim.elapsed();
        assertThatThrownBy(() -> kind.attempt.within(slow, Duration.ofMillis(500)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("too late");
        assertThat(sim.elapsed().minus(began)).isBetween(COMMAND, COMMAND.plusMillis(200));
        assertThat(calls(slow) - before).isLessThan(16);
        inPlaceOf = Optional.empty();
    }
}
