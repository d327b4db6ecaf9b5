package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Permit;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Of the waiters of a client for permits the first alone has a place at the store, and a poll. */
@Tag("slow")
class PermitLineTest extends VirtualTime {

    private static final Duration SHORT = Duration.ofMillis(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration CLAIM_WINDOW = Duration.ofSeconds(1);
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

    private final DistributedSemaphore atA = a.semaphore("n");
    private final DistributedSemaphore atB = b.semaphore("n");
    private final List<String> order = new ArrayList<>();

    @AfterEach
    void allPermitsAreBack() {
        assertNothingIsLeft();
        sim.runFor(LEASE.plus(CLAIM_WINDOW));
        assertThat(atA.available()).isEqualTo(atA.permits());
    }

    private CompletableFuture<Permit> waiting(DistributedSemaphore semaphore, int permits) {
        CompletableFuture<Permit> waiting = semaphore.async().acquire(permits);
        sim.runFor(SHORT);
        return waiting;
    }

    private static void giveBack(CompletableFuture<Permit> served) {
        assertThat(served).isCompleted();
        served.join().close();
    }

    /** One that notes when it is served, and gives back at once. */
    private CompletableFuture<Void> passing(String name, CompletableFuture<Permit> waiting) {
        return waiting.thenAccept(permit -> {
            order.add(name);
            permit.close();
        });
    }

    private Permit all() {
        atA.trySetPermits(3);
        return atA.tryAcquire(3).orElseThrow();
    }

    private long callsWhile(Holdfast client, Duration time) {
        long before = calls(client);
        sim.runFor(time);
        return calls(client) - before;
    }

    @Test
    void aThousandAskForNoMoreThanOne() {
        Permit held = all();
        List<CompletableFuture<Void>> waiters = new ArrayList<>();
        waiters.add(passing("b", waiting(atB, 1)));
        long one = callsWhile(b, MINUTE);
        for (int i = 0; i < 1_000; i++) {
            waiters.add(passing("b", atB.async().acquire()));
        }
        sim.runFor(SHORT);

        assertThat(callsWhile(b, MINUTE)).isCloseTo(one, within(2 + one / 5));
        assertThat(one).isPositive();

        held.close();
        assertThat(callsWhile(b, Duration.ofSeconds(10)))
                .as("one asks, is served and gives back")
                .isLessThan(3 * 1_001 + 100);
        assertThat(waiters).allSatisfy(waiter -> assertThat(waiter).isCompleted());
    }

    @Test
    void whoLeavesWithoutAPermitLeavesItsTurnToTheNext() {
        Permit held = all();
        CompletableFuture<Permit> leaves = waiting(atB, 1);
        CompletableFuture<Optional<Permit>> hasNoMoreTime = atB.async().tryAcquire(1, Duration.ofSeconds(5));
        sim.runFor(SHORT);
        CompletableFuture<Void> heir = passing("b", waiting(atB, 3));
        CompletableFuture<Void> other = passing("a", waiting(atA, 3));

        leaves.cancel(true);
        sim.runFor(Duration.ofSeconds(6));
        assertThat(hasNoMoreTime.join()).isEmpty();
        held.close();
        sim.runFor(SHORT);

        assertThat(order).containsExactly("b", "a");
        assertThat(Stream.of(heir, other))
                .allSatisfy(waiter -> assertThat(waiter).isCompleted());
    }

    @Test
    void clientsTakeTurns() {
        Permit held = all();
        for (int i = 0; i < 3; i++) {
            var ofB = passing("b" + i, waiting(atB, 3));
            var ofA = passing("a" + i, waiting(atA, 3));
            assertThat(Stream.of(ofA, ofB)).noneMatch(CompletableFuture::isDone);
        }
        held.close();
        sim.runFor(CLAIM_WINDOW);
        assertThat(order).containsExactly("b0", "a0", "b1", "a1", "b2", "a2");
    }

    @Test
    void whoWantsLessMayTakeWhatIsFree() {
        atA.trySetPermits(3);
        Permit held = atA.tryAcquire(2).orElseThrow();
        CompletableFuture<Permit> large = waiting(atB, 3);
        CompletableFuture<Permit> small = waiting(atB, 1);

        assertThat(small).isCompleted();
        assertThat(large).isNotDone();
        giveBack(small);
        held.close();
        sim.runFor(SHORT);
        giveBack(large);
    }

    @Test
    void whatIsRefusedToOneIsNotRefusedToTheOthers() {
        Permit held = all();
        CompletableFuture<Permit> first = waiting(atB, 3);
        CompletableFuture<Permit> second = waiting(atB, 1);

        CompletableFuture<Permit> tooMany = waiting(atB, 4);
        assertThat(tooMany).isCompletedExceptionally();
        assertThat(Stream.of(first, second)).noneMatch(CompletableFuture::isDone);

        atA.setPermits(2);
        sim.runFor(MINUTE);
        assertThat(first).as("more than there are now").isCompletedExceptionally();
        assertThat(failure(first)).isInstanceOf(StoreRefusedException.class);
        assertThat(second).isNotDone();
        held.close();
        sim.runFor(SHORT);
        giveBack(second);
    }

    @Test
    void allLearnOfAnOutageInTheirTime() {
        Permit held = all();
        List<CompletableFuture<Permit>> answered = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            answered.add(waiting(atB, 1));
        }
        faults(b).outage(true);
        sim.runFor(SHORT);
        List<CompletableFuture<Permit>> unanswered = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            unanswered.add(waiting(atB, 1));
        }

        sim.runFor(Duration.ofSeconds(5));
        assertThat(unanswered).allSatisfy(waiter -> assertUnavailable(waiter));
        sim.runFor(Duration.ofSeconds(60));
        assertThat(answered).allSatisfy(waiter -> assertUnavailable(waiter));
        faults(b).outage(false);
        held.close();
    }

    private static void assertUnavailable(CompletableFuture<Permit> waiter) {
        assertThat(waiter).isCompletedExceptionally();
        assertThat(failure(waiter)).isInstanceOf(StoreUnavailableException.class);
    }

    private static Throwable failure(CompletableFuture<?> waiter) {
        return waiter.handle((permit, failure) -> failure).join();
    }

    @Test
    void aNewcomerThatTheStoreDidNotAnswerWasNotRefused() {
        Permit held = all();
        CompletableFuture<Permit> first = waiting(atB, 1);
        faults(b).outage(true);
        CompletableFuture<Optional<Permit>> newcomer = atB.async().tryAcquire(1, Duration.ofMillis(100));
        sim.runFor(COMMAND_TIMEOUT.plus(SHORT));
        assertThat(newcomer).isDone();
        assertThat(failure(newcomer)).isInstanceOf(StoreUnavailableException.class);
        faults(b).outage(false);
        held.close();
        sim.runFor(CLAIM_WINDOW);
        giveBack(first);
    }

    @Test
    void anAnswerToTheFirstIsNoneToANewcomerThatMayHaveBeenGranted() {
        atA.trySetPermits(3);
        Permit held = atA.tryAcquire(2).orElseThrow();
        CompletableFuture<Permit> first = waiting(atB, 3);
        sim.runFor(Duration.ofMillis(500));
        faults(b).next(Operation.ACQUIRE, Fault.DROP_REPLY);
        CompletableFuture<Optional<Permit>> newcomer = atB.async().tryAcquire(1, Duration.ofMillis(100));
        sim.runFor(COMMAND_TIMEOUT.plus(SHORT));
        assertThat(failure(newcomer)).isInstanceOf(IndeterminateLockException.class);
        sim.runFor(COMMAND_TIMEOUT);
        held.close();
        sim.runFor(CLAIM_WINDOW);
        giveBack(first);
    }

    @Test
    void eachIsToldWhatItHasAskedForItself() {
        atA.trySetPermits(3);
        Permit held = atA.tryAcquire(2).orElseThrow();
        CompletableFuture<Permit> first = waiting(atB, 3);
        faults(b).next(Operation.ACQUIRE, Fault.FAIL_AFTER).next(Operation.RELEASE, Fault.DROP_REQUEST);
        CompletableFuture<Permit> newcomer = atB.async().acquire(1);
        sim.runReady();
        faults(b).outage(true);
        sim.runFor(COMMAND_TIMEOUT.plus(SHORT));
        assertThat(failure(newcomer)).isInstanceOf(IndeterminateLockException.class);
        sim.runFor(MINUTE);
        assertThat(failure(first)).isExactlyInstanceOf(StoreUnavailableException.class);
        faults(b).outage(false);
        sim.runFor(MINUTE);
        held.close();
    }

    @Test
    void aNewcomerWhoseRequestFailedIsAnsweredSoon() {
        Holdfast c = client("c", options -> options.pollInterval(Duration.ofSeconds(20)));
        DistributedSemaphore atC = c.semaphore("n");
        Permit held = all();
        CompletableFuture<Permit> first = waiting(atC, 1);
        sim.runFor(Duration.ofSeconds(10));
        faults(c).next(Operation.ACQUIRE, Fault.FAIL_BEFORE);
        CompletableFuture<Optional<Permit>> impatient = atC.async().tryAcquire(1, Duration.ofMillis(100));
        sim.runFor(Duration.ofMillis(200));
        assertThat(impatient).isDone();
        assertThat(impatient.join()).isEmpty();
        faults(c).next(Operation.ACQUIRE, Fault.FAIL_BEFORE);
        CompletableFuture<Permit> newcomer = waiting(atC, 1);
        sim.runFor(MINUTE);
        assertThat(newcomer).isNotDone();
        held.close();
        sim.runFor(CLAIM_WINDOW);
        giveBack(first);
        giveBack(newcomer);
    }

    @Test
    void oneThatIsAskedForWhileAnotherLeavesFailsForItself() {
        Permit held = all();
        ScarcePlatform platform = new ScarcePlatform(sim);
        Holdfast c = client("c", options -> options.platform(platform).provider(provider(server::open)));
        CompletableFuture<Permit> leaves = waiting(c.semaphore("n"), 1);
        CompletableFuture<Permit> next = waiting(c.semaphore("n"), 1);
        platform.failWithin("Calls.start");
        leaves.cancel(true);
        sim.runReady();
        assertThat(platform.hasFailed()).isTrue();
        held.close();
        sim.runFor(CLAIM_WINDOW);
        giveBack(next);
    }

    @Test
    void allWaitThroughAShortOutage() {
        Permit held = all();
        List<CompletableFuture<Void>> waiters = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            waiters.add(passing("b", waiting(atB, 1)));
        }
        faults(b).outage(true);
        sim.runFor(Duration.ofSeconds(10));
        held.close();
        faults(b).outage(false);
        sim.runFor(Duration.ofSeconds(5));
        assertThat(waiters).allSatisfy(waiter -> assertThat(waiter).isCompleted());
    }

    @Test
    void lostAnswersTakeNothingFromAnybody() {
        Permit held = all();
        List<CompletableFuture<Void>> waiters = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            waiters.add(passing("b", waiting(atB, 1 + i % 3)));
        }
        faults(b).probability(0.3);
        held.close();
        for (int i = 0; i < 20; i++) {
            waiters.add(passing("b", waiting(atB, 1 + i % 3)));
        }
        sim.runFor(MINUTE);
        faults(b).probability(0);
        sim.runFor(MINUTE);
        assertThat(waiters).allSatisfy(waiter -> assertThat(waiter).isDone());
        assertThat(waiters.subList(0, 20)).as("answered before").noneMatch(CompletableFuture::isCompletedExceptionally);
    }

    @Test
    void aMessageThatIsMissedIsMadeUpForByThePoll() {
        Permit held = all();
        List<CompletableFuture<Void>> waiters = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            waiters.add(passing("b", waiting(atB, 2)));
        }
        faults(b).probability(Fault.DROP_SIGNAL, 1);
        held.close();
        sim.runFor(MINUTE);
        assertThat(waiters).allSatisfy(waiter -> assertThat(waiter).isCompleted());
    }

    @Test
    void whatWasTakenBackBeforeTheAnswerIsNotClaimed() {
        Permit held = all();
        assertThat(atB.tryAcquire()).as("the clock is known from then on").isEmpty();
        Held answer = faults(b).holdReply(Operation.ACQUIRE);
        CompletableFuture<Permit> waiting = atB.async().acquire(3);
        sim.runReady();
        assertThat(answer.isCaught()).isTrue();
        held.close();
        sim.runReady();
        atA.release(atA.holders().get(0).id());
        sim.runReady();
        Permit other = atA.tryAcquire(3).orElseThrow();

        answer.letGo();
        sim.runFor(SHORT);

        assertThat(waiting).isNotDone();
        other.close();
        sim.runFor(SHORT);
        giveBack(waiting);
    }

    @Test
    void leasesOfTheirOwnAndRenewedOnesShareALine() {
        Permit held = all();
        List<CompletableFuture<Void>> waiters = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiters.add(passing("renewed", waiting(atB, 2)));
            waiters.add(passing(
                    "own",
                    atB.async()
                            .tryAcquire(2, LONG, Duration.ofMillis(300 + 400 * i))
                            .thenApply(Optional::orElseThrow)));
            sim.runFor(SHORT);
        }
        held.close();
        sim.runFor(Duration.ofSeconds(10));
        assertThat(waiters).allSatisfy(waiter -> assertThat(waiter).isCompleted());
        assertThat(order).hasSize(10);
    }

    @Test
    void whoCannotBeServedInTimeIsToldSo() throws InterruptedException {
        Permit held = all();
        CompletableFuture<Permit> first = waiting(atB, 1);
        long before = sim.nanoTime();
        assertThat(atB.tryAcquire(1, Duration.ofSeconds(3))).isEmpty();
        assertThat(Duration.ofNanos(sim.nanoTime() - before))
                .isBetween(Duration.ofSeconds(3), Duration.ofMillis(3_010));
        held.close();
        sim.runFor(SHORT);
        giveBack(first);
    }
}
