package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.spi.Signal;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The fair lock: in the order of arrival, over all clients, whatever happens to those who wait. */
@Tag("everywhere")
class FairTest extends VirtualTime {

    private static final Duration SHORT = Duration.ofMillis(1);
    private static final Duration CLAIM = Duration.ofSeconds(1);

    private final List<String> order = new ArrayList<>();
    private final List<SimThread> waiters = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() {
        waiters.forEach(SimThread::join);
        assertNothingIsLeft();
    }

    /** A thread that waits for the lock, notes that it has it, and holds it for a moment; in line when this returns. */
    private SimThread waiter(Holdfast client, String name) {
        return waiter(client.fairLock("n"), name, SHORT);
    }

    private SimThread waiter(DistributedLock lock, String name, Duration work) {
        SimThread waiter = start(name, () -> {
            lock.lock();
            order.add(name);
            sim.sleep(work);
            lock.unlock();
        });
        waiters.add(waiter);
        sim.runFor(SHORT);
        return waiter;
    }

    private void allAreServed() {
        waiters.forEach(SimThread::join);
    }

    @Test
    void isGotInTheOrderOfArrival() throws InterruptedException {
        Lease held = a.fairLock("n").acquire();
        List<String> names = List.of("b1", "a1", "a2", "b2", "a3", "b3", "b4");
        names.forEach(name -> waiter(name.startsWith("a") ? a : b, name));

        held.close();

        allAreServed();
        assertThat(order).isEqualTo(names);
    }

    @Test
    void whoReleasesGoesBehindThoseWhoWait() {
        DistributedLock lock = a.fairLock("n");
        lock.lock();
        waiter(b, "b");
        waiter(a, "other thread of a");
        lock.unlock();
        lock.lock();
        order.add("a again");
        lock.unlock();
        assertThat(order).containsExactly("b", "other thread of a", "a again");
    }

    @Test
    void aHandoffBetweenClientsIsOneCommand() {
        a.fairLock("n").lock();
        for (int i = 0; i < 5; i++) {
            waiter(b, "b" + i);
            waiter(a, "a" + i);
        }
        long before = calls(a) + calls(b);

        a.fairLock("n").unlock();

        allAreServed();
        assertThat(order).hasSize(10);
        assertThat(calls(a) + calls(b) - before).isEqualTo(11);
    }

    @Test
    void placesOfOneClientBehindEachOtherAreServedByOneCommand() {
        a.fairLock("n").lock();
        for (int i = 0; i < 10; i++) {
            waiter(a, "a" + i);
        }
        waiter(b, "b");
        long before = calls(a);

        a.fairLock("n").unlock();

        allAreServed();
        assertThat(order).startsWith("a0", "a1", "a2").endsWith("a9", "b").hasSize(11);
        assertThat(calls(a) - before)
                .as("two releases, and the renewal of what was assigned and is used for 10 ms")
                .isEqualTo(3);
        assertThat(a.stats().handoffs()).isEqualTo(9);
    }

    @Test
    void waitersWithShortLeasesOfTheirOwnAreServedOnceByFewCommands() throws InterruptedException {
        Lease held = a.fairLock("n").acquire();
        Held reply = faults(a).holdReply(Operation.ACQUIRE);
        List<CompletableFuture<Boolean>> all = new ArrayList<>();
        for (Duration lease : List.of(LEASE, CLAIM.dividedBy(2), CLAIM.dividedBy(2), CLAIM.dividedBy(2))) {
            all.add(a.fairLock("n")
                    .async()
                    .tryAcquire(LONG, lease)
                    .thenCompose(got -> got.orElseThrow().closeAsync())
                    .thenApply(closed -> true));
        }
        reply.letGo();
        sim.runFor(SHORT);
        long before = calls(a);

        held.close();

        sim.runUntil(() -> all.stream().allMatch(CompletableFuture::isDone), LEASE);
        assertThat(all).allSatisfy(served -> assertThat(served).isCompleted());
        assertThat(calls(a) - before).isEqualTo(8);
    }

    @Test
    void whoComesWhileAClientServesItsOwnGoesBehindThem() {
        a.fairLock("n").lock();
        waiter(a.fairLock("n"), "a0", Duration.ofMillis(50));
        waiter(a, "a1");
        a.fairLock("n").unlock();
        sim.runFor(SHORT);
        waiter(b, "b");
        waiter(a, "a2");
        allAreServed();
        assertThat(order).containsExactly("a0", "a1", "b", "a2");
    }

    @Test
    void whoComesWhileTheFirstAsksGetsAPlace() {
        // the server's time is known then, so that no request is sent for it first
        a.fairLock("other").lock();
        a.fairLock("other").unlock();
        Held reply = faults(a).holdReply(Operation.ACQUIRE);
        waiter(a.fairLock("n"), "a0", Duration.ofMillis(20));
        waiter(a, "a1");
        reply.letGo();
        sim.runUntil(() -> order.size() == 2, Duration.ofMillis(100));
        assertThat(order).containsExactly("a0", "a1");
    }

    @Test
    void whoIsAskedForAgainAfterItsReleaseHoldsUpNobody() throws InterruptedException {
        Lease held = a.fairLock("n").acquire();
        waiter(b, "b1");
        Held overtaken = faults(b).holdRequest(Operation.ACQUIRE);
        waiter(b, "b2");
        held.close();
        sim.runUntil(() -> order.contains("b1"), SHORT);
        sim.runFor(SHORT);

        overtaken.letGo();

        sim.runUntil(() -> order.contains("b2"), SHORT);
        allAreServed();
    }

    @Test
    void whoIsQueuedAgainAfterItsReleaseHoldsUpNobody() throws InterruptedException {
        Lease held = a.fairLock("n").acquire();
        waiter(b, "b1");
        waiter(a.fairLock("n"), "a1", Duration.ofMillis(5));
        Held overtaken = faults(b).holdRequest(Operation.ACQUIRE);
        waiter(b, "b2");
        held.close();
        sim.runUntil(() -> order.contains("a1"), Duration.ofMillis(2));

        overtaken.letGo();

        sim.runUntil(() -> order.contains("b2"), Duration.ofMillis(6));
        allAreServed();
        assertThat(order).containsExactly("b1", "a1", "b2");
    }

    @Test
    void whoGivesUpIsNotReplacedByOneBehindOthers() throws InterruptedException {
        a.fairLock("n").lock();
        waiter(a.fairLock("n"), "a0", Duration.ofMillis(50));
        SimThread impatient = start(
                "a1",
                () -> assertThat(a.fairLock("n").tryLock(Duration.ofMillis(20))).isFalse());
        sim.runFor(SHORT);
        waiter(b, "b");
        waiter(a, "a2");
        a.fairLock("n").unlock();
        allAreServed();
        impatient.join();
        assertThat(order).containsExactly("a0", "b", "a2");
    }

    @Test
    void whoGivesUpWhileItsLeaseIsBeingSetHoldsUpNobody() throws InterruptedException {
        Lease held = a.fairLock("n").acquire();
        CompletableFuture<?> own = b.fairLock("n").async().tryAcquire(LONG, Duration.ofSeconds(20));
        sim.runFor(SHORT);
        waiter(b, "b");
        waiter(a, "a");
        Held renewal = faults(b).holdRequest(Operation.RENEW);
        held.close();
        sim.runUntil(renewal::isCaught, LONG);
        own.cancel(true);
        renewal.letGo();
        sim.runUntil(() -> order.size() == 2, Duration.ofMillis(100));
        assertThat(order).containsExactly("b", "a");
    }

    @Test
    void whoGivesUpWhileItsLeaseIsBeingSetLeavesTheNameFree() throws InterruptedException {
        Lease held = a.fairLock("n").acquire();
        CompletableFuture<?> own = b.fairLock("n").async().tryAcquire(LONG, Duration.ofSeconds(20));
        sim.runFor(SHORT);
        Held renewal = faults(b).holdRequest(Operation.RENEW);
        held.close();
        sim.runUntil(renewal::isCaught, LONG);
        own.cancel(true);
        renewal.letGo();
        sim.runFor(Duration.ofMillis(100));
        assertThat(b.fairLock("n").tryLock()).isTrue();
        b.fairLock("n").unlock();
    }

    @Test
    void tokensRiseAlongTheLine() {
        List<Long> tokens = new ArrayList<>();
        a.fairLock("n").lock();
        for (Holdfast client : List.of(a, a, b, a, b, b)) {
            waiters.add(start("waiter", () -> {
                client.fairLock("n").lock();
                tokens.add(client.fairLock("n").fencingToken());
                client.fairLock("n").unlock();
            }));
            sim.runFor(SHORT);
        }
        a.fairLock("n").unlock();
        allAreServed();
        assertThat(tokens).hasSize(6).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void whoGivesUpLeavesNoPlace() throws InterruptedException {
        Lease held = a.fairLock("n").acquire();
        SimThread impatient = start(
                "impatient",
                () -> assertThat(b.fairLock("n").tryLock(Duration.ofMillis(20))).isFalse());
        sim.runFor(SHORT);
        SimThread interrupted = start(
                "interrupted",
                () -> assertThatThrownBy(() -> b.fairLock("n").lockInterruptibly())
                        .isInstanceOf(InterruptedException.class));
        sim.runFor(SHORT);
        CompletableFuture<Lease> cancelled = a.fairLock("n").async().acquire();
        sim.runFor(SHORT);
        waiter(b, "patient");
        sim.runFor(Duration.ofMillis(50));
        interrupted.interrupt();
        cancelled.cancel(true);
        sim.runFor(SHORT);
        assertThat(a.inspect("n").waiters()).hasSize(1);
        impatient.join();
        interrupted.join();

        held.close();

        allAreServed();
        assertThat(order).containsExactly("patient");
    }

    @Test
    void whoGivesUpBeforeItsPlaceIsTakenLeavesNone() throws InterruptedException {
        Lease held = a.fairLock("n").acquire();
        waiter(b, "patient");
        Held overtaken = faults(b).holdRequest(Operation.ACQUIRE);
        CompletableFuture<Lease> cancelled = b.fairLock("n").async().acquire();
        sim.runUntil(overtaken::isCaught, SHORT);
        cancelled.cancel(true);
        sim.runFor(SHORT);

        overtaken.letGo();

        sim.runFor(SHORT);
        assertThat(a.inspect("n").waiters()).hasSize(1);
        held.close();
        allAreServed();
    }

    @Test
    void tryLockGetsItOnlyIfItIsFree() {
        DistributedLock lock = a.fairLock("n");
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock()).as("again, by its owner").isTrue();
        waiter(a, "waiting");
        SimThread other =
                start("other", () -> assertThat(a.fairLock("n").tryLock()).isFalse());
        other.join();
        assertThat(b.fairLock("n").tryAcquire()).isEmpty();
        lock.unlock();
        lock.unlock();
        allAreServed();
    }

    @Test
    void aClientThatDoesNotAnswerCostsOneClaimWindowHoweverManyWaitInIt() throws InterruptedException {
        Holdfast c = client("c");
        Lease held = a.fairLock("n").acquire();
        List<CompletableFuture<Lease>> stuck = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            stuck.add(c.fairLock("n").async().acquire());
        }
        sim.runFor(SHORT);
        waiter(b, "b");
        faults(c).probability(Fault.DROP_SIGNAL, 1.0).probability(Fault.DROP_REQUEST, 1.0);

        held.close();

        sim.runUntil(() -> !order.isEmpty(), Duration.ofMillis(2_100));
        faults(c).probability(0);
        stuck.forEach(future -> future.cancel(true));
        allAreServed();
    }

    @Test
    void whoMissedItsTurnComesBackToItsPlace() throws InterruptedException {
        Holdfast c = client("c");
        Lease held = a.fairLock("n").acquire();
        waiter(c, "c1");
        waiter(c, "c2");
        waiter(b.fairLock("n"), "b1", Duration.ofSeconds(8));
        waiter(b, "b2");
        faults(c).probability(Fault.DROP_SIGNAL, 1.0).probability(Fault.DROP_REQUEST, 1.0);
        held.close();
        sim.runUntil(() -> order.contains("b1"), Duration.ofMillis(2_100));
        faults(c).probability(0).probability(Fault.DROP_SIGNAL, 0.0).probability(Fault.DROP_REQUEST, 0.0);

        allAreServed();

        assertThat(order).containsExactly("b1", "c1", "c2", "b2");
    }

    @Test
    void aLineThatTheStoreHasForgottenIsMadeAnewInItsOrder() throws InterruptedException {
        Lease held = a.fairLock("n").acquire();
        List<String> names = List.of("b1", "b2", "a1", "a2", "b3");
        names.forEach(name -> waiter(name.startsWith("a") ? a : b, name));
        server.wipe();
        List.of(a, b).forEach(client -> faults(client).outage(true));
        sim.runFor(SHORT);
        List.of(a, b).forEach(client -> faults(client).outage(false));
        sim.runFor(Duration.ofMillis(100));
        allAreServed();
        List<String> others = new ArrayList<>(names);
        assertThat(others.remove(order.get(0))).as("who asked first then").isTrue();
        assertThat(order.subList(1, order.size())).isEqualTo(others);
        assertThatThrownBy(held::close).isInstanceOf(LeaseLostException.class);
    }

    /** The assignment comes first, too late to be used as it is, but not too late to be asked for. */
    @Test
    void anAssignmentThatOvertakesARefusalIsAskedForAtOnce() throws InterruptedException {
        Lease held = a.fairLock("n").acquire();
        waiter(b, "b1");
        Held refusal = faults(b).holdReply(Operation.ACQUIRE);
        waiter(b, "b2");
        Held signal = faults(b).holdSignal(Signal.Assigned.class);
        held.close();
        sim.runUntil(signal::isCaught, SHORT);
        sim.runFor(Duration.ofMillis(930));

        signal.letGo();
        sim.runReady();
        refusal.letGo();

        sim.runFor(Duration.ofMillis(20));
        assertThat(order).startsWith("b1");
    }

    @Test
    void aPausedWaiterDoesNotUseAnAssignmentWhoseTimeIsOver() throws InterruptedException {
        Lease held = a.fairLock("n").acquire();
        waiter(b, "b");
        Held signal = faults(b).holdSignal(Signal.Assigned.class);
        faults(b).probability(Fault.DROP_REQUEST, 1.0);
        held.close();
        sim.runFor(Duration.ofMillis(1_200));
        Lease next = a.fairLock("n").tryAcquire().orElseThrow();
        signal.letGo();
        faults(b).probability(Fault.DROP_REQUEST, 0.0);
        sim.runFor(Duration.ofMillis(100));
        assertThat(order).isEmpty();
        next.close();
        allAreServed();
        assertThat(events(LockEvent.Lost.class)).isEmpty();
    }

    @Test
    void oneLockForBothWaysToWait() {
        DistributedLock barging = a.lock("n");
        DistributedLock fair = a.fairLock("n");
        barging.lock();
        fair.lock();
        assertThat(fair.holdCount()).isEqualTo(2);
        assertThat(b.fairLock("n").tryLock()).isFalse();
        fair.unlock();
        barging.unlock();
        fair.lock();
        assertThat(b.lock("n").tryLock()).isFalse();
        waiter(b.lock("n"), "barging", SHORT);
        waiter(b, "fair");
        fair.unlock();
        allAreServed();
        assertThat(order).containsExactly("barging", "fair");
    }

    @Test
    void leasesOfTheirOwnAreKeptInLine() throws InterruptedException {
        Lease held = a.fairLock("n").acquire();
        List<Duration> remaining = new ArrayList<>();
        for (Duration own : List.of(Duration.ofMillis(300), Duration.ofSeconds(20))) {
            waiters.add(start("own lease", () -> {
                Lease lease = b.fairLock("n").tryAcquire(LONG, own).orElseThrow();
                remaining.add(lease.remainingLease());
                lease.close();
            }));
            sim.runFor(SHORT);
        }
        held.close();
        allAreServed();
        assertThat(remaining.get(0)).isBetween(Duration.ofMillis(200), Duration.ofMillis(300));
        assertThat(remaining.get(1)).isBetween(Duration.ofSeconds(19), Duration.ofSeconds(20));
    }

    @Test
    void aHoldTakenAwayIsLostAndTheNextIsServed() {
        a.fairLock("n").lock();
        waiter(a, "a");
        waiter(b, "b");
        b.fairLock("n").forceUnlock();
        allAreServed();
        assertThat(order).containsExactly("a", "b");
        assertThatThrownBy(() -> a.fairLock("n").unlock()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aFutureThatOnlyTriesIsRefusedByItsOwnClient() throws InterruptedException {
        Lease held = a.fairLock("n").acquire();
        long before = calls(a);
        CompletableFuture<Optional<Lease>> tried = a.fairLock("n").async().tryAcquire();
        sim.runReady();
        assertThat(tried).isCompletedWithValue(Optional.empty());
        assertThat(calls(a)).isEqualTo(before);
        held.close();
    }

    /** The tenure is not renewed while its first owner has a lease of its own. */
    @Test
    void aHandoffFromAnOwnerWithALeaseOfItsOwnIsRenewed() throws InterruptedException {
        Lease held = b.fairLock("n").acquire();
        CompletableFuture<Optional<Lease>> own = a.fairLock("n").async().tryAcquire(LONG, Duration.ofSeconds(20));
        CompletableFuture<Lease> next = a.fairLock("n").async().acquire();
        sim.runFor(SHORT);
        held.close();
        sim.runUntil(own::isDone, LONG);
        own.join().orElseThrow().close();
        sim.runReady();
        assertThat(next).isCompleted();
        assertThat(a.stats().handoffs()).isEqualTo(1);
        sim.runFor(LEASE.multipliedBy(2));
        assertThat(next.join().isValid()).isTrue();
        next.join().close();
    }
}
