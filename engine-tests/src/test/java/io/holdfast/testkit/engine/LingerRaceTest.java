package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.recipes.MultiLock;
import io.holdfast.spi.Signal;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What others get of a name that is kept, in each order of events. */
class LingerRaceTest extends Lingering {

    private SimThread waiter() {
        return start("waiter", () -> use(other));
    }

    private void gotWithin(Duration time, SimThread waiter) {
        sim.runUntil(waiter::done, time);
        waiter.join();
    }

    // ---- others want it

    @Test
    void whoWaitsGetsItAtOnce() {
        use(lock);
        gotWithin(MILLI, waiter());
    }

    @Test
    void whoDoesNotWaitGetsItAtOnce() {
        use(lock);
        Duration before = sim.elapsed();
        assertThat(other.tryLock()).isTrue();
        assertThat(sim.elapsed().minus(before)).isLessThan(MILLI);
        other.unlock();
    }

    @Test
    void aLeaseAndAFutureGetItWithoutWaiting() {
        use(lock);
        other.tryAcquire().orElseThrow().close();
        sim.runFor(PAUSE);
        use(lock, 4);
        Optional<Lease> lease = sim.await(other.async().tryAcquire());
        assertThat(lease).isPresent();
        sim.await(lease.orElseThrow().closeAsync());
    }

    @Test
    void aTryWhileSomebodyIsAtWorkFailsWithinTheGrace() {
        use(lock);
        lock.lock();
        Duration before = sim.elapsed();
        assertThat(other.tryLock()).isFalse();
        assertThat(sim.elapsed().minus(before)).isBetween(GRACE, GRACE.plus(MILLI));
        assertThat(sim.await(other.async().tryAcquire())).isEmpty();
        assertThat(b.inspect("n").waiters()).isEmpty();
        lock.unlock();
        assertThat(holder()).as("somebody wanted it").isEmpty();
    }

    @Test
    void aTryOfWhatDoesNotLingerFailsAtOnce() {
        plain.lock();
        Duration before = sim.elapsed();
        long calls = calls(b);
        assertThat(other.tryLock()).isFalse();
        assertThat(sim.elapsed()).isEqualTo(before);
        assertThat(calls(b) - calls).isEqualTo(1);
        assertThat(a.stats().signals()).isZero();
        plain.unlock();
    }

    @Test
    void whoAsksForSeveralNamesIsHeardOf() {
        use(lock);
        Holdfast c = client("c");
        var both = MultiLock.of(c.lock("n"), c.lock("m"));
        boolean first = both.tryLock();
        sim.runReady();
        assertThat(first || both.tryLock()).isTrue();
        both.unlock();
    }

    @Test
    void aFairWaiterElsewhereGetsItAtOnce() {
        use(lock);
        gotWithin(MILLI, start("fair", () -> use(b.fairLock("n"))));
    }

    @Test
    void aFairWaiterOfTheSameClientGetsItAtOnce() {
        use(lock);
        gotWithin(MILLI, start("fair", () -> use(a.fairLock("n"))));
        lock.lock();
        SimThread fair = start("fair2", () -> use(a.fairLock("n")));
        sim.runFor(POLL);
        lock.unlock();
        gotWithin(MILLI, fair);
    }

    @Test
    void aReaderOfTheSameClientIsNotRefused() {
        use(lock);
        use(a.readWriteLock("n").readLock());
    }

    @Test
    void aFairTryOfTheSameClientFailsAtOnceWhileSomebodyIsAtWork() {
        Lease lease = lock.tryAcquire().orElseThrow();
        Duration before = sim.elapsed();
        assertThat(a.fairLock("n").tryLock()).isFalse();
        assertThat(sim.await(a.fairLock("n").async().tryAcquire())).isEmpty();
        assertThat(sim.elapsed()).isEqualTo(before);
        lease.close();
    }

    @Test
    void whoGetsItBeforeOthersWhoWaitDoesNotKeepIt() {
        DistributedLock first = client("c").lock("n");
        first.lock();
        SimThread behind = start("behind", () -> use(first));
        sim.runReady();
        SimThread second = start("second", () -> use(lock));
        sim.runReady();
        SimThread third = waiter();
        sim.runFor(MILLI.multipliedBy(10));
        Held wish = faults(a).holdSignal(Signal.Wanted.class);
        first.unlock();
        gotWithin(MILLI, second);
        gotWithin(MILLI, third);
        gotWithin(MILLI, behind);
        assertThat(wish.isCaught()).isTrue();
        wish.letGo();
    }

    // ---- the wish and the next owner

    @Test
    void aWishThatComesAfterTheNextOwnerIsObeyedByItsUnlock() {
        use(lock);
        Held wish = faults(a).holdSignal(Signal.Wanted.class);
        SimThread waiter = waiter();
        sim.runReady();
        lock.lock();
        wish.letGo();
        sim.runFor(MILLI);
        assertThat(waiter.done()).isFalse();
        lock.unlock();
        gotWithin(MILLI, waiter);
    }

    @Test
    void anOwnerThatComesAfterTheWishAsksTheStore() {
        use(lock);
        Held release = faults(a).holdRequest(Operation.RELEASE);
        SimThread waiter = waiter();
        sim.runReady();
        assertThat(release.isCaught()).isTrue();
        SimThread next = start("next", () -> use(lock));
        sim.runReady();
        assertThat(next.done()).isFalse();
        release.letGo();
        sim.runUntil(() -> waiter.done() && next.done(), POLL);
        waiter.join();
        next.join();
        assertThat(retaken()).isZero();
    }

    @Test
    void aWishThatComesBeforeTheUnlockIsObeyedByIt() {
        lock.lock();
        SimThread waiter = waiter();
        sim.runFor(MILLI);
        lock.unlock();
        gotWithin(MILLI, waiter);
    }

    @Test
    void aLostWishCostsTheRestOfTheLinger() {
        use(lock);
        faults(a).probability(Fault.DROP_SIGNAL, 1.0);
        SimThread waiter = waiter();
        sim.runFor(LINGER.minus(MILLI));
        assertThat(waiter.done()).isFalse();
        gotWithin(MILLI.multipliedBy(3), waiter);
        faults(a).probability(Fault.DROP_SIGNAL, 0);
    }

    @Test
    void aWishThatWasLostIsRepeatedByTheNextPoll() {
        use(lock);
        faults(a).next(Operation.SIGNAL, Fault.DROP_SIGNAL);
        gotWithin(POLL, waiter());
    }

    @Test
    void aWishThatWasLostIsFoundByTheNextOwner() {
        use(lock);
        faults(a).probability(Fault.DROP_SIGNAL, 1.0);
        SimThread waiter = waiter();
        sim.runFor(POLL);
        use(lock);
        gotWithin(MILLI, waiter);
        faults(a).probability(Fault.DROP_SIGNAL, 0);
    }

    @Test
    void aLostWishForANameInUseCostsAPollInterval() {
        faults(a).probability(Fault.DROP_SIGNAL, 1.0);
        boolean[] stop = {false};
        SimThread busy = start("busy", () -> {
            while (!stop[0]) {
                use(lock);
                sim.sleep(Duration.ofMillis(5));
            }
        });
        sim.runFor(Duration.ofSeconds(3));
        SimThread waiter = waiter();
        gotWithin(POLL, waiter);
        stop[0] = true;
        busy.join();
        faults(a).probability(Fault.DROP_SIGNAL, 0);
    }

    @Test
    void aReplyThatTellsWhoWaitsEndsIt() {
        use(lock);
        lock.lock();
        faults(a).probability(Fault.DROP_SIGNAL, 1.0);
        Held reply = faults(a).holdReply(Operation.RENEW);
        SimThread waiter = waiter();
        sim.runFor(POLL);
        assertThat(reply.isCaught()).isTrue();
        lock.unlock();
        assertThat(calls(a)).isEqualTo(callsAfter(MILLI));
        reply.letGo();
        gotWithin(MILLI, waiter);
        faults(a).probability(Fault.DROP_SIGNAL, 0);
    }

    private long callsAfter(Duration time) {
        sim.runFor(time);
        return calls(a);
    }

    @Test
    void aReplyThatComesWhileItIsKeptSetsNoFurtherRenewal() {
        DistributedLock longer = a.lock("n", LockOptions.defaults().withLinger(Duration.ofSeconds(10)));
        use(longer);
        longer.lock();
        Held reply = faults(a).holdReply(Operation.RENEW);
        sim.runFor(POLL);
        assertThat(reply.isCaught()).isTrue();
        longer.unlock();
        reply.letGo();
        assertThat(a.stats().renewals()).isEqualTo(1);
        sim.runFor(Duration.ofMillis(9_999));
        assertThat(isKept()).isTrue();
        assertThat(a.stats().renewals()).isEqualTo(1);
        sim.runFor(MILLI);
    }

    @Test
    void aGapEndsIt() {
        use(lock);
        faults(a).outage(true);
        faults(a).outage(false);
        sim.runFor(MILLI);
        assertThat(holder()).isEmpty();
    }

    // ---- the end of the linger and the next owner

    @Test
    void anOwnerThatComesJustBeforeTheEndIsLeftInPeace() {
        use(lock);
        sim.runFor(LINGER.minus(Duration.ofNanos(1)));
        lock.lock();
        sim.runFor(LINGER.plus(MILLI));
        assertThat(lock.isValid()).isTrue();
        assertThat(retaken()).isEqualTo(1);
        lock.unlock();
        assertThat(isKept()).isTrue();
    }

    @Test
    void anOwnerThatComesAfterTheEndAsksTheStore() {
        use(lock);
        Held release = faults(a).holdRequest(Operation.RELEASE);
        sim.runFor(LINGER.plus(MILLI));
        assertThat(release.isCaught()).isTrue();
        SimThread next = start("next", () -> use(lock));
        sim.runFor(MILLI);
        assertThat(next.done()).isFalse();
        release.letGo();
        sim.runUntil(next::done, POLL);
        next.join();
        assertThat(retaken()).isZero();
    }

    // ---- what is kept is gone

    @Test
    void whatExpiredWhileItWasKeptIsNoLossAndTheStoreIsAsked() {
        use(lock);
        sim.suspend(LEASE.plus(MILLI));
        other.lock();
        assertThat(lock.tryLock()).isFalse();
        other.unlock();
    }

    @Test
    void whatTheStoreForgotIsNoLoss() {
        use(lock);
        server.wipe();
        use(other);
        sim.runFor(LINGER.plus(POLL));
        assertThat(holder()).isEmpty();
    }

    @Test
    void whatIsForcedFreeHereIsNotTakenAgain() {
        use(lock);
        Held told = faults(a).holdSignal(Signal.Revoked.class);
        assertThat(lock.forceUnlock()).isTrue();
        other.lock();
        assertThat(lock.tryLock()).isFalse();
        other.unlock();
        told.letGo();
        use(lock);
        assertThat(retaken()).isZero();
    }

    @Test
    void whatIsForcedFreeElsewhereIsGivenUpWhenItIsHeardOf() {
        use(lock);
        assertThat(other.forceUnlock()).isTrue();
        sim.runReady();
        assertThat(a.stats().renewals()).isZero();
        other.lock();
        assertThat(lock.tryLock()).isFalse();
        other.unlock();
        assertThat(retaken()).isZero();
    }

    // ---- others want it often

    @Test
    void onceItWasWantedItIsKeptAgainAfterAPauseAndSomeUseOfOnesOwn() {
        use(lock);
        use(other);
        use(lock, 3);
        assertThat(holder()).as("in the pause").isEmpty();
        sim.runFor(PAUSE);
        use(lock);
        assertThat(isKept()).isTrue();
    }

    @Test
    void afterThePauseItHasToBeHadInARow() {
        use(lock);
        use(other);
        sim.runFor(PAUSE);
        for (int i = 0; i < 3; i++) {
            use(lock);
            assertThat(holder()).as("use %d", i).isEmpty();
        }
        use(lock);
        assertThat(isKept()).isTrue();
    }

    @Test
    void aWaiterThatAsksAgainIsCountedOnce() {
        use(lock);
        lock.lock();
        SimThread waiter = waiter();
        sim.runFor(Duration.ofSeconds(20));
        lock.unlock();
        gotWithin(MILLI, waiter);
        use(lock, 4);
        assertThat(isKept()).isTrue();
    }

    @Test
    void thePauseIsTwiceAsLongEachTimeUnlessItHasPaid() {
        wantedAndHadAgain(PAUSE);
        wantedAndHadAgain(PAUSE.multipliedBy(2));
        wantedAndHadAgain(PAUSE.multipliedBy(4));
        use(lock, 3);
        wantedAndHadAgain(PAUSE);
    }

    /** Is kept at the beginning, after that not for the pause, and then again. */
    private void wantedAndHadAgain(Duration pause) {
        use(lock);
        assertThat(isKept()).isTrue();
        Duration wanted = sim.elapsed();
        use(other);
        sim.runFor(wanted.plus(pause).minus(MILLI).minus(sim.elapsed()));
        use(lock, 4);
        assertThat(holder()).as("in a pause of %s", pause).isEmpty();
        sim.runFor(MILLI.multipliedBy(2));
        use(lock);
        assertThat(isKept()).as("after a pause of %s", pause).isTrue();
    }

    @Test
    void whoOnlyPollsFindsItFreeInThePause() {
        DistributedLock polls = client(
                        "polls", options -> options.provider(provider(config -> new FullQueue(server.open(config)))))
                .lock("n");
        boolean[] stop = {false};
        SimThread busy = start("busy", () -> {
            while (!stop[0]) {
                use(lock);
                sim.sleep(Duration.ofMillis(5));
            }
        });
        sim.runFor(Duration.ofSeconds(1));
        gotWithin(POLL.multipliedBy(2), start("polls", () -> use(polls)));
        stop[0] = true;
        busy.join();
    }
}
