package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.HoldfastException;
import io.holdfast.recipes.QuorumLease;
import io.holdfast.recipes.QuorumLock;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.check.HistoryChecker;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tokens of a quorum lock, over servers whose clocks differ. */
@Tag("slow")
class QuorumTokenTest extends FiveServers {

    private final QuorumLock threeOfA = QuorumLock.of(ofA.subList(0, 3), "n");
    private final QuorumLock threeOfB = QuorumLock.of(ofB.subList(0, 3), "n");

    /** The first majority has a server that is an hour ahead, the next has not. */
    @Test
    void tokensRiseThoughTheServerWithTheHighestIsGone() throws InterruptedException {
        five.get(0).stepClock(Duration.ofHours(1));
        kill(2);
        long first = token(threeOfA);
        kill(0);
        heal(2);
        long second = token(threeOfB);
        assertThat(second).isGreaterThan(first);
        heal(0);
        kill(1);
        assertThat(token(threeOfA)).isGreaterThan(second);
    }

    private static long token(QuorumLock lock) throws InterruptedException {
        try (QuorumLease lease = lock.acquire()) {
            return lease.fencingToken();
        }
    }

    @Test
    void theTokenIsAboveTheHighestOfTheMajority() throws InterruptedException {
        five.get(1).stepClock(Duration.ofHours(1));
        kill(2);
        try (QuorumLease lease = threeOfA.acquire()) {
            assertThat(lease.fencingToken())
                    .isGreaterThan(threeOfA.members()
                            .get(1)
                            .holder()
                            .orElseThrow()
                            .fencingToken()
                            .orElseThrow());
        }
    }

    /** The clocks of the servers differ by a little, and those that are ahead answer last. */
    @Test
    void grantsThatAreALittleLaterMakeNoServerConfirmAgain() {
        IntStream.range(0, SERVERS).forEach(i -> five.get(i).stepClock(Duration.ofNanos(20_000L * i)));
        List<Held> late = List.of(
                faults(ofA, 3).holdReply(Operation.ACQUIRE), faults(ofA, 4).holdReply(Operation.ACQUIRE));
        Held first = faults(ofA, 0).holdRequest(Operation.RENEW);
        SimThread owner = start("owner", () -> {
            lockA.lock();
            lockA.unlock();
        });
        sim.runUntil(() -> first.isCaught() && late.stream().allMatch(Held::isCaught), LONG);
        late.forEach(Held::letGo);
        sim.runReady();
        first.letGo();
        owner.join();
        assertThat(ofA).as("confirmations").allMatch(client -> client.stats().renewals() <= 1);
    }

    @Test
    void aTokenThatCannotBeWrittenBackIsNotHandedOut() throws InterruptedException {
        five.get(0).stepClock(Duration.ofHours(1));
        kill(2);
        Held unwritten = faults(ofA, 1).holdRequest(Operation.RENEW);
        assertThatThrownBy(threeOfA::tryAcquire)
                .isInstanceOf(HoldfastException.class)
                .hasMessageContainingAll("q1", "did not confirm token");
        sim.runReady();
        assertFree();
        long next = token(threeOfB);
        unwritten.letGo();
        kill(0);
        heal(2);
        assertThat(token(threeOfA)).isGreaterThan(next);
    }

    @Test
    void aSecondAttemptMakesGoodForATokenThatWasNotWritten() throws InterruptedException {
        five.get(0).stepClock(Duration.ofHours(1));
        kill(2);
        Held unwritten = faults(ofA, 1).holdRequest(Operation.RENEW);
        try (QuorumLease lease = threeOfA.acquire(Duration.ofSeconds(10))) {
            assertThat(sim.elapsed()).isGreaterThanOrEqualTo(BUDGET);
            assertThat(lease.isValid()).isTrue();
        }
        unwritten.letGo();
    }

    @Test
    void anotherServerMayMakeGoodForOneThatDidNotConfirm() {
        five.get(0).stepClock(Duration.ofHours(1));
        Held unwritten = faults(ofA, 1).holdRequest(Operation.RENEW);
        Duration before = sim.elapsed();
        threeOfA.lock();
        assertThat(sim.elapsed()).isEqualTo(before);
        threeOfA.unlock();
        unwritten.letGo();
    }

    /** The third server is ahead of all others, and the second does not confirm the token of the first. */
    private Held holdRequestOfTheServerAhead() {
        five.get(0).stepClock(Duration.ofMinutes(1));
        five.get(2).stepClock(Duration.ofHours(1));
        faults(ofA, 1).next(Operation.RENEW, Fault.FAIL_BEFORE);
        return faults(ofA, 2).holdRequest(Operation.ACQUIRE);
    }

    /** The server that makes good is ahead of all others, and was another's while it had not answered. */
    @Test
    void aServerThatGrantsLaterRaisesTheToken() throws InterruptedException {
        Held late = holdRequestOfTheServerAhead();
        CompletableFuture<QuorumLease> asking = threeOfA.async().acquire();
        sim.runUntil(late::isCaught, LONG);
        sim.runReady();
        long between = token(threeOfB);
        late.letGo();
        QuorumLease lease = sim.await(asking);
        assertThat(lease.fencingToken()).isGreaterThan(between);
        lease.close();
    }

    /** The first server has confirmed its own token only, which is below that of the server that granted later. */
    @Test
    void aServerThatHasConfirmedALowerTokenConfirmsAgain() throws InterruptedException {
        Held late = holdRequestOfTheServerAhead();
        CompletableFuture<QuorumLease> asking = threeOfA.async().acquire();
        sim.runUntil(late::isCaught, LONG);
        sim.runReady();
        Held again = faults(ofA, 0).holdRequest(Operation.RENEW);
        late.letGo();
        sim.runReady();
        assertThat(asking).isNotDone();
        again.letGo();
        sim.await(asking).close();
    }

    /** What the first server had granted was lost, and was another's, before a second one granted. */
    @Test
    void aGrantThatIsLostBeforeTheOthersComeRaisesTheToken() throws InterruptedException {
        five.get(2).stepClock(Duration.ofHours(1));
        Held second = faults(ofA, 1).holdRequest(Operation.ACQUIRE);
        Held third = faults(ofA, 2).holdRequest(Operation.ACQUIRE);
        CompletableFuture<QuorumLease> asking = threeOfA.async().acquire();
        sim.runUntil(() -> second.isCaught() && third.isCaught(), LONG);
        sim.runReady();
        forceAt(0);
        kill(1);
        long between = token(threeOfB);
        heal(1);
        second.letGo();
        sim.runReady();
        third.letGo();
        QuorumLease lease = sim.await(asking);
        assertThat(lease.fencingToken()).isGreaterThan(between);
        lease.close();
    }

    /** What the client has left of a block is below the token that was written back. */
    @Test
    void whoGetsAServerHandedInsideTheClientHasAHigherToken() {
        five.get(0).stepClock(Duration.ofHours(1));
        kill(2);
        DistributedLock single = ofA.get(1).lock("n");
        threeOfA.lock();
        sim.runReady();
        long token = threeOfA.fencingToken();
        long[] next = {0};
        SimThread waiter = start("waiter", () -> {
            single.lock();
            next[0] = single.fencingToken();
            single.unlock();
        });
        sim.runFor(SECOND);
        threeOfA.unlock();
        waiter.join();
        assertThat(next[0]).isGreaterThan(token);
    }

    @Test
    void historiesAreSoundWhileServersComeAndGo() {
        runWithFaults(15, 50);
    }

    @Test
    @Tag("ci")
    void longHistoriesAreSoundWhileServersComeAndGo() {
        runWithFaults(60, 200);
    }

    private void runWithFaults(int rounds, int leastGrants) {
        Random random = new Random(11);
        five.forEach(server -> server.stepClock(Duration.ofMillis(random.nextInt(3_600_000))));
        HistoryChecker history = new HistoryChecker();
        boolean[] over = {false};
        int[] owners = {0};
        for (QuorumLock lock : List.of(lockA, lockB, lockC, lockA)) {
            start("owner" + ++owners[0], () -> {
                while (!over[0]) {
                    hold(lock, history, random);
                }
            });
        }
        SimThread chaos = start("chaos", () -> {
            for (int round = 0; round < rounds; round++) {
                int first = random.nextInt(SERVERS);
                int second = random.nextInt(SERVERS);
                hang(first);
                kill(second);
                sim.sleep(Duration.ofMillis(random.nextInt(20_000)));
                heal(first);
                heal(second);
                sim.sleep(Duration.ofMillis(random.nextInt(3_000)));
            }
            over[0] = true;
        });
        sim.runUntil(chaos::done, Duration.ofHours(1));
        sim.runThreads();
        assertThat(history.grants()).isGreaterThan(leastGrants);
        history.check(sim.elapsed().toNanos());
    }

    private void hold(QuorumLock lock, HistoryChecker history, Random random) throws InterruptedException {
        lock.tryAcquire(Duration.ofSeconds(20)).ifPresent(lease -> {
            HistoryChecker.Hold hold = history.granted(
                    "n", lock.toString(), lease.fencingToken(), sim.elapsed().toNanos());
            lease.onLost(loss -> hold.lost(sim.elapsed().toNanos()));
            sim.sleep(Duration.ofMillis(random.nextInt(1_000)));
            hold.validUntil(sim.elapsed().plus(lease.remainingLease()).toNanos());
            hold.released(sim.elapsed().toNanos());
            lease.close();
        });
    }
}
