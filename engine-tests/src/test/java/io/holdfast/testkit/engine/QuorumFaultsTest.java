package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.IndeterminateLockException;
import io.holdfast.LeaseLostException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.recipes.QuorumLease;
import io.holdfast.recipes.QuorumLock;
import io.holdfast.recipes.QuorumOptions;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A lock over five servers some of which are dead, slow, or cut off. */
class QuorumFaultsTest extends FiveServers {

    // ---- taking

    @Test
    void aSilentMinorityDoesNotHoldUpAnAcquire() {
        hang(0);
        hang(1);
        Duration before = sim.elapsed();
        lockA.lock();
        assertThat(sim.elapsed()).isEqualTo(before);
        assertThat(lockA.heldAt()).isEqualTo(3);
        lockA.unlock();
        assertThat(sim.elapsed())
                .as("the silent ones have nothing to give back")
                .isEqualTo(before);
    }

    @Test
    void allAreAskedAtOnce() {
        List<Held> slow = IntStream.range(0, SERVERS)
                .mapToObj(server -> faults(ofA, server).holdRequest(Operation.ACQUIRE))
                .toList();
        SimThread owner = start("owner", () -> {
            lockA.lock();
            lockA.unlock();
        });
        sim.runReady();
        assertThat(slow).allMatch(Held::isCaught);
        slow.forEach(Held::letGo);
        owner.join();
    }

    @Test
    void aSplitVoteDoesNotWaitForASilentMinority() {
        ofB.get(0).lock("n").lock();
        ofB.get(1).lock("n").lock();
        hang(4);
        Duration before = sim.elapsed();
        assertThat(lockA.tryLock()).isFalse();
        assertThat(sim.elapsed().minus(before)).isLessThan(Duration.ofMillis(10));
        ofB.get(0).lock("n").unlock();
        ofB.get(1).lock("n").unlock();
        assertFree();
    }

    @Test
    void aSlowServerGetsItsTimeInASplitVote() {
        ofB.get(0).lock("n").lock();
        ofB.get(1).lock("n").lock();
        List<Holdfast> clients = new ArrayList<>(ofA.subList(0, 4));
        clients.add(client("slow", options -> options.uri("simulated:q4").provider(provider(this::openSlow))));
        QuorumLock lock = QuorumLock.of(clients, "n");
        Duration before = sim.elapsed();
        lock.lock();
        assertThat(lock.heldAt()).isEqualTo(3);
        assertThat(sim.elapsed().minus(before)).isLessThan(SECOND.multipliedBy(10));
        lock.unlock();
        ofB.get(0).lock("n").unlock();
        ofB.get(1).lock("n").unlock();
    }

    /** A connection whose grants take 20 ms, always. */
    private LockStore openSlow(StoreConfig config) {
        Platform.Timer timer = sim.timer("slow");
        return new ForwardingStore(five.get(4).open(config)) {
            @Override
            public CompletionStage<Acquire.Reply> acquire(Acquire request) {
                CompletableFuture<Acquire.Reply> late = new CompletableFuture<>();
                var unused = super.acquire(request)
                        .thenAccept(reply -> timer.schedule(20_000_000, () -> late.complete(reply)));
                return late;
            }

            @Override
            public void close() {
                timer.close();
                super.close();
            }
        };
    }

    @Test
    void aSilentMajorityCostsABudgetForEachCall() {
        hang(0);
        hang(1);
        hang(2);
        Duration before = sim.elapsed();
        assertThatThrownBy(lockA::tryLock)
                .isInstanceOf(IndeterminateLockException.class)
                .hasMessageContainingAll(
                        "'n'", "3 servers failed", "at most 2 may", "q0", "did not answer within 2000 ms");
        assertThat(sim.elapsed().minus(before)).isLessThanOrEqualTo(BUDGET);
        assertThatThrownBy(lockA::lock).isInstanceOf(IndeterminateLockException.class);
    }

    @Test
    void theBudgetMayBeChosen() {
        hang(0);
        hang(1);
        hang(2);
        QuorumOptions hasty = QuorumOptions.defaults().withBudget(Duration.ofMillis(50));
        Duration before = sim.elapsed();
        assertThatThrownBy(() -> QuorumLock.of(ofA, "n", hasty).tryLock())
                .isInstanceOf(IndeterminateLockException.class)
                .hasMessageContaining("50 ms");
        assertThat(sim.elapsed().minus(before)).isEqualTo(Duration.ofMillis(50));
    }

    @Test
    void deadServersCostABudgetForEachCall() {
        kill(0);
        kill(1);
        kill(2);
        Duration before = sim.elapsed();
        assertThatThrownBy(lockA::tryLock)
                .isInstanceOf(HoldfastException.class)
                .hasMessageContainingAll("3 servers failed", "q0", "q1", "q2");
        assertThat(sim.elapsed().minus(before)).isLessThanOrEqualTo(BUDGET);
        assertFree();
    }

    private void hangAll() {
        IntStream.range(0, SERVERS).forEach(this::hang);
    }

    /** Threads of one process, which note how long each took to fail. */
    private List<Duration> failing(int threads, SimThread.Body wait) {
        List<Duration> took = new ArrayList<>();
        Duration began = sim.elapsed();
        for (int i = 0; i < threads; i++) {
            start("contender" + i, () -> {
                assertThatThrownBy(wait::run)
                        .isInstanceOfAny(StoreUnavailableException.class, IndeterminateLockException.class);
                took.add(sim.elapsed().minus(began));
            });
        }
        return took;
    }

    @Test
    void contendersOfOneProcessTakeEachOtherForNoAnswer() {
        hangAll();
        List<Duration> took = failing(2, lockA::lock);
        sim.runFor(LEASE.multipliedBy(2));
        assertThat(took).hasSize(2).allMatch(time -> time.compareTo(BUDGET.multipliedBy(3)) < 0);
    }

    @Test
    void contendersOfOneProcessThatWereAnsweredLeaveInTheirTime() {
        lockB.lock();
        List<Duration> took = failing(3, lockA::lock);
        sim.runFor(SECOND);
        hangAll();
        sim.runFor(Duration.ofSeconds(29));
        assertThat(took).isEmpty();
        // one of them asks at a time, and each begins to count when it asks
        sim.runFor(BUDGET.multipliedBy(15));
        assertThat(took).hasSize(3);
        IntStream.range(0, SERVERS).forEach(this::heal);
        assertThatThrownBy(lockB::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aTimedWaitBesideAnotherOneIsNotToldThatOthersHadTheLock() {
        hangAll();
        List<Duration> took = failing(2, () -> lockA.acquire(LEASE));
        sim.runFor(LEASE.multipliedBy(2));
        assertThat(took).hasSize(2);
    }

    @Test
    void contendersOfOneProcessShareSlowServers() {
        five.forEach(slow -> slow.faults(faults -> faults.maxDelay(Duration.ofMillis(400))));
        int[] got = {0};
        for (int i = 0; i < 10; i++) {
            start("contender" + i, () -> {
                lockA.lock();
                got[0]++;
                sim.sleep(SECOND.multipliedBy(5));
                lockA.unlock();
            });
        }
        sim.runThreads();
        assertThat(got[0]).isEqualTo(10);
    }

    @Test
    void aRequestWithoutAnAnswerEndsWithinTheCommandTimeout() {
        hangAll();
        QuorumLock odd = QuorumLock.of(ofA, "n", QuorumOptions.defaults().withBudget(Duration.ofMillis(1_900)));
        for (SimThread.Body wait : List.<SimThread.Body>of(
                () -> lockA.tryLock(Duration.ZERO),
                () -> lockA.tryLock(Duration.ofMillis(100)),
                () -> lockA.tryLock(LEASE),
                lockA::lock,
                odd::lock)) {
            Duration before = sim.elapsed();
            assertThatThrownBy(wait::run).isInstanceOf(IndeterminateLockException.class);
            assertThat(sim.elapsed().minus(before)).isLessThanOrEqualTo(BUDGET.plusMillis(10));
        }
    }

    @Test
    void aReleaseThatIsNotAnsweredAddsNothingToTheCommandTimeout() {
        List.of(2, 3, 4).forEach(this::hang);
        List.of(0, 1).forEach(server -> faults(ofA, server).holdRequest(Operation.RELEASE));
        Duration before = sim.elapsed();
        assertThatThrownBy(lockA::lock).isInstanceOf(IndeterminateLockException.class);
        assertThat(sim.elapsed().minus(before)).isLessThanOrEqualTo(BUDGET.plusMillis(10));
    }

    @Test
    void aWaiterStaysThroughAnOutage() {
        lockB.lock();
        SimThread waiter = start("waiter", () -> {
            lockA.lock();
            lockA.unlock();
        });
        sim.runFor(SECOND);
        List.of(0, 1, 2, 3).forEach(this::kill);
        sim.runFor(SECOND.multipliedBy(10));
        List.of(0, 1, 2, 3).forEach(this::heal);
        sim.runFor(SECOND);
        lockB.unlock();
        waiter.join();
    }

    @Test
    void aServerThatAnswersLaterJoins() {
        Held late = faults(ofA, 4).holdReply(Operation.ACQUIRE);
        lockA.lock();
        assertThat(lockA.heldAt()).isEqualTo(4);
        late.letGo();
        sim.runReady();
        assertThat(lockA.heldAt()).isEqualTo(SERVERS);
        lockA.unlock();
        assertFree();
    }

    @Test
    void anAnswerAfterTheEndIsGivenBack() {
        Held late = faults(ofA, 4).holdReply(Operation.ACQUIRE);
        lockA.lock();
        lockA.unlock();
        assertFree();
        late.letGo();
        sim.runReady();
        assertFree();
    }

    @Test
    void aServerThatNeverCountedIsNoLossAtTheRelease() {
        ofC.get(0).lock("n").lock();
        ofC.get(0).lock("n").unlock();
        hang(3);
        Held grant = faults(ofA, 4).holdReply(Operation.ACQUIRE);
        lockA.lock();
        Held confirmation = faults(ofA, 4).holdRequest(Operation.RENEW);
        grant.letGo();
        sim.runReady();
        assertThat(confirmation.isCaught()).isTrue();
        forceAt(4);
        assertThat(lockA.heldAt()).isEqualTo(3);
        lockA.unlock();
        heal(3);
        confirmation.letGo();
        sim.runReady();
        assertFree();
    }

    @Test
    void aServerThatComesBackJoins() {
        kill(3);
        hang(4);
        lockA.lock();
        sim.runFor(LEASE.multipliedBy(2));
        assertThat(lockA.heldAt()).isEqualTo(3);
        heal(3);
        heal(4);
        sim.runFor(Duration.ofSeconds(11));
        assertThat(lockA.heldAt()).isEqualTo(SERVERS);
        forceAt(0);
        forceAt(1);
        assertThat(lockA.isValid())
                .as("it does not depend on the first ones any more")
                .isTrue();
        lockA.unlock();
    }

    @Test
    void whatWasGrantedUnheardIsReleased() {
        assertThat(lockA.tryLock())
                .as("the clocks of the servers are known from then on")
                .isTrue();
        lockA.unlock();
        sim.runReady();
        List<Held> unheard = List.of(0, 1, 2).stream()
                .map(server -> faults(ofA, server).holdReply(Operation.ACQUIRE))
                .toList();
        QuorumLock hasty = QuorumLock.of(ofA, "n", QuorumOptions.defaults().withBudget(Duration.ofMillis(50)));
        assertThatThrownBy(hasty::tryLock).isInstanceOf(IndeterminateLockException.class);
        sim.runReady();
        assertFree();
        assertThat(lockB.tryLock()).isTrue();
        unheard.forEach(Held::letGo);
        sim.runReady();
        assertThat(lockB.heldAt()).isEqualTo(SERVERS);
        lockB.unlock();
    }

    @Test
    void aMinorityIsGivenBack() {
        QuorumLock rival = QuorumLock.of(ofB.subList(0, 3), "n");
        rival.lock();
        sim.runReady();
        assertThat(keptAt()).isEqualTo(3);
        assertThat(lockA.tryLock()).isFalse();
        assertThat(keptAt()).isEqualTo(3);
        rival.unlock();
    }

    @Test
    void splitVotesAreOvercome() {
        List<QuorumLock> rivals = IntStream.range(0, 3)
                .mapToObj(i -> QuorumLock.of(List.of(ofA, ofB, ofC).get(i).subList(0, 3), "n"))
                .toList();
        List<Held> others = new ArrayList<>();
        for (int rival = 0; rival < 3; rival++) {
            for (int server = 0; server < 3; server++) {
                if (server != rival) {
                    others.add(faults(List.of(ofA, ofB, ofC).get(rival), server).holdRequest(Operation.ACQUIRE));
                }
            }
        }
        List<Integer> got = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int rival = i;
            start("rival" + i, () -> {
                rivals.get(rival).lock();
                got.add(rival);
                rivals.get(rival).unlock();
            });
        }
        sim.runReady();
        assertThat(keptAt()).as("one vote for each").isEqualTo(3);
        assertThat(got).isEmpty();
        others.forEach(Held::letGo);
        Duration before = sim.elapsed();
        sim.runThreads();
        assertThat(got).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(sim.elapsed().minus(before)).isLessThan(SECOND.multipliedBy(2));
    }

    @Test
    void aCallbackExecutorThatNeverRunsHoldsUpNoThread() {
        List<Holdfast> stuck = stuck();
        QuorumLock lock = QuorumLock.of(stuck, "n");
        Duration before = sim.elapsed();
        lock.lock();
        assertThat(lock.heldAt()).isGreaterThanOrEqualTo(3);
        lock.unlock();
        assertThat(sim.elapsed()).isEqualTo(before);
        // servers may have granted it since
        sim.runReady();
        assertFree();
    }

    private List<Holdfast> stuck() {
        return IntStream.range(0, SERVERS)
                .mapToObj(i -> client(
                        "stuck" + i, options -> options.uri("simulated:q" + i).callbackExecutor(task -> {})))
                .toList();
    }

    @Test
    void whoWakesUpAfterTheLeaseAsksAgain() {
        List<Held> replies = repliesToA();
        SimThread owner = start("owner", () -> {
            lockA.lock();
            assertThat(lockA.isValid()).isTrue();
            lockA.unlock();
        });
        sim.runUntil(() -> replies.stream().allMatch(Held::isCaught) && owner.parked(), LONG);
        replies.forEach(Held::letGo);
        // it was told, and has not run yet
        sim.runUntil(() -> !owner.parked(), LONG);
        sim.suspend(LEASE.multipliedBy(2));
        owner.join();
        sim.runFor(SECOND);
        assertFree();
    }

    @Test
    void doesNotExtendALockThatWasLostInASuspend() throws InterruptedException {
        QuorumLease held = lockA.tryAcquire(Duration.ZERO, LEASE).orElseThrow();
        sim.suspend(LEASE.multipliedBy(2));
        assertThatThrownBy(() -> held.extend(SECOND)).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(held::close).isInstanceOf(LeaseLostException.class);
        assertFree();
    }

    private List<Held> repliesToA() {
        return IntStream.range(0, SERVERS)
                .mapToObj(server -> faults(ofA, server).holdReply(Operation.ACQUIRE))
                .toList();
    }

    /** Returns a lock whose callbacks run when the test runs them. */
    private QuorumLock calledBackBy(List<Runnable> handed) {
        return QuorumLock.of(
                IntStream.range(0, SERVERS)
                        .mapToObj(i -> client(
                                "slow" + i,
                                options -> options.uri("simulated:q" + i).callbackExecutor(handed::add)))
                        .toList(),
                "n");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aHoldThatIsNotDeliveredWithinItsLeaseIsReleased(boolean cancelled) {
        List<Runnable> handed = new ArrayList<>();
        CompletableFuture<QuorumLease> future = calledBackBy(handed).async().acquire();
        sim.runUntil(() -> handed.size() == 1, LONG);
        if (cancelled) {
            future.cancel(false);
        }
        sim.runFor(LEASE.plus(SECOND));
        assertFree();
        assertThat(lockB.tryLock()).isTrue();
        lockB.unlock();
        for (int second = 0; second < 60 && !(future.isDone() && handed.isEmpty()); second++) {
            List<Runnable> ready = List.copyOf(handed);
            handed.clear();
            ready.forEach(Runnable::run);
            sim.runFor(SECOND);
        }
        assertThat(future).isDone();
        if (!cancelled) {
            assertThat(future.join().isValid()).isTrue();
            future.join().close();
        }
        sim.runFor(SECOND);
        assertFree();
    }

    @Test
    void aFutureThatIsToldAfterTheLeaseAsksAgain() {
        List<Runnable> handed = new ArrayList<>();
        QuorumLock lock = calledBackBy(handed);
        CompletableFuture<QuorumLease> future = lock.async().acquire();
        sim.runUntil(() -> handed.size() == 1, LONG);
        IntStream.range(0, SERVERS).forEach(this::hang);
        sim.runFor(LEASE.multipliedBy(2));
        IntStream.range(0, SERVERS).forEach(this::heal);
        for (int second = 0; second < 60 && !future.isDone(); second++) {
            List<Runnable> ready = List.copyOf(handed);
            handed.clear();
            ready.forEach(Runnable::run);
            sim.runFor(SECOND);
        }
        assertThat(future).isDone();
        assertThat(future.join().isValid()).isTrue();
        future.join().close();
    }

    // ---- partitions

    @Test
    void noneOfTwoMinoritiesHolds() {
        reachable(ofA, 0, 1);
        reachable(ofB, 3, 4);
        assertThatThrownBy(lockA::tryLock).isInstanceOf(HoldfastException.class);
        assertThatThrownBy(lockB::tryLock).isInstanceOf(HoldfastException.class);
        assertFree();
        reachable(ofB, 2, 3, 4);
        assertThat(lockB.tryLock()).isTrue();
        reachable(ofA, 0, 1, 2);
        assertThat(lockA.tryLock()).isFalse();
        lockB.unlock();
    }

    @Test
    void whoIsCutOffLosesTheHoldBeforeTheOthersGetIt() throws InterruptedException {
        QuorumLease lease = lockA.acquire();
        sim.runReady();
        List<String> story = new ArrayList<>();
        lease.onLost(loss -> story.add("lost"));
        reachable(ofA, 0, 1);
        SimThread next = start("next", () -> {
            try (QuorumLease mine = lockB.acquire()) {
                story.add("got");
                assertThat(mine.fencingToken()).isGreaterThan(lease.fencingToken());
                assertThat(lease.isValid()).isFalse();
            }
        });
        next.join();
        assertThat(story).containsExactly("lost", "got");
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void silenceIsALossAtTheEndOfTheValidityAndToldOnce() throws InterruptedException {
        QuorumLease lease = lockA.acquire();
        List<String> told = new ArrayList<>();
        lease.onLost(loss -> told.add(loss.name()));
        sim.runFor(Duration.ofSeconds(3));
        IntStream.range(0, SERVERS).forEach(this::hang);
        sim.runFor(lease.remainingLease().minusMillis(1));
        assertThat(lease.isValid()).isTrue();
        assertThat(told).isEmpty();
        sim.runFor(Duration.ofMillis(1));
        assertThat(lease.isValid()).isFalse();
        assertThat(told).containsExactly("n");
        sim.runFor(LEASE);
        assertThat(told).hasSize(1);
        lease.onLost(loss -> told.add("late"));
        sim.runReady();
        assertThat(told).containsExactly("n", "late");
        assertThatThrownBy(() -> lease.ensureValid(Duration.ZERO)).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void theValidityIsThatOfAMajority() throws InterruptedException {
        hang(3);
        hang(4);
        QuorumLease lease = lockA.acquire();
        sim.runFor(Duration.ofSeconds(8));
        // two are renewed from now on, the third of them decides
        hang(2);
        heal(3);
        Duration left = lease.remainingLease();
        sim.runFor(Duration.ofMillis(1_900));
        assertThat(lease.remainingLease()).as("that of the third").isLessThan(left);
        sim.runFor(Duration.ofMillis(1_100));
        assertThat(lease.heldAt()).isEqualTo(4);
        assertThat(lease.remainingLease()).isGreaterThan(left);
        heal(2);
        heal(4);
        lease.close();
    }

    @Test
    void aMajorityThatWasLostIsNotMadeGoodInSilence() throws InterruptedException {
        hang(3);
        hang(4);
        ScarcePlatform platform = new ScarcePlatform(sim);
        List<Holdfast> clients = new ArrayList<>(ofA);
        clients.set(0, client("scarce", options -> options.platform(platform).provider(provider(five.get(0)::open))));
        QuorumLease lease = QuorumLock.of(clients, "n").acquire();
        heal(3);
        Held joining = faults(clients, 3).holdReply(Operation.ACQUIRE);
        sim.runUntil(joining::isCaught, LONG);
        // the hold at the first server is lost, and its loss is not reported yet
        platform.noThreadsFor("background");
        forceAt(0);
        joining.letGo();
        sim.runReady();
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.heldAt()).isZero();
        platform.noThreadsFor(null);
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        heal(4);
    }

    /** As in a cold process, which loads classes during its first request. */
    @Test
    void aFirstRequestThatTakesLongLeavesTheOthersTheirTime() {
        List<Holdfast> clients = new ArrayList<>(ofA);
        clients.set(
                0,
                client(
                        "cold",
                        options -> options.provider(provider(
                                config -> new ForwardingStore(five.get(0).open(config)) {
                                    @Override
                                    public CompletionStage<Acquire.Reply> acquire(Acquire request) {
                                        sim.sleep(Duration.ofSeconds(6));
                                        return super.acquire(request);
                                    }
                                }))));
        five.forEach(server -> server.faults(faults -> faults.probability(Fault.DELAY_REPLY, 1)));
        QuorumLock cold = QuorumLock.of(clients, "n");
        start("owner", () -> {
                    assertThat(cold.tryLock()).isTrue();
                    cold.unlock();
                })
                .join();
    }

    /** A clock step loses nothing, but nobody knows what was lost while it is in doubt. */
    @Test
    void noServerJoinsWhileTheMajorityIsInDoubt() throws InterruptedException {
        hang(3);
        hang(4);
        QuorumLease lease = lockA.acquire();
        heal(3);
        Held joining = faults(ofA, 3).holdReply(Operation.ACQUIRE);
        sim.runUntil(joining::isCaught, LONG);
        IntStream.range(0, 3).forEach(this::hang);
        sim.stepWallClock(SECOND.multipliedBy(10));
        joining.letGo();
        sim.runReady();
        assertThat(lease.heldAt()).isZero();
        assertThat(five.get(3).inUse()).isEmpty();
        IntStream.range(0, SERVERS).forEach(this::heal);
        sim.runFor(SECOND.multipliedBy(5));
        assertThat(lease.isValid()).isTrue();
        lease.close();
    }

    // ---- asking for more

    @Test
    void validityIsEnsuredByAMajority() throws InterruptedException {
        try (QuorumLease lease = lockA.acquire()) {
            sim.runFor(Duration.ofSeconds(8));
            hang(0);
            hang(1);
            Duration before = sim.elapsed();
            lease.ensureValid(Duration.ofSeconds(29));
            assertThat(sim.elapsed()).isEqualTo(before);
            assertThat(lease.remainingLease()).isGreaterThan(Duration.ofSeconds(29));
            hang(2);
            sim.runFor(SECOND);
            assertThatThrownBy(() -> lease.ensureValid(Duration.ofSeconds(29)))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("fewer than 3");
            assertThat(lease.isValid()).isTrue();
            assertThatThrownBy(() -> lease.ensureValid(LEASE)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aLeaseOfItsOwnIsExtendedByAMajority() throws InterruptedException {
        QuorumLease lease = lockA.tryAcquire(Duration.ZERO, SECOND).orElseThrow();
        sim.runFor(Duration.ofMillis(500));
        hang(0);
        hang(1);
        assertThatThrownBy(() -> lease.ensureValid(Duration.ofMillis(700)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("extend");
        lease.extend(Duration.ofSeconds(9));
        assertThat(lease.remainingLease()).isGreaterThan(Duration.ofSeconds(8));
        sim.runFor(Duration.ofSeconds(5));
        assertThat(lease.isValid()).isTrue();
        heal(0);
        heal(1);
        sim.runFor(Duration.ofSeconds(1));
        assertThat(lease.heldAt()).as("the missing ones joined").isEqualTo(SERVERS);
        sim.runFor(Duration.ofSeconds(4));
        assertThat(lease.isValid()).isFalse();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
    }
}
