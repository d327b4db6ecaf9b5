package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.LockReport;
import io.holdfast.LockTimeoutException;
import io.holdfast.recipes.LeaderElection;
import io.holdfast.recipes.Leadership;
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
import org.junit.jupiter.api.Test;

/** Who leads, and until when. */
class LeaderElectionTest extends VirtualTime {

    private final LeaderElection election = LeaderElection.of(a, "boss");
    private final LeaderElection theirs = LeaderElection.of(b, "boss");
    private final List<Leadership.End> ends = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() {
        faults(a).outage(false).probability(Fault.DROP_REQUEST, 0.0);
        assertNothingIsLeft();
    }

    @Test
    void oneLeadsUntilItResignsAndTermsRise() throws InterruptedException {
        long last = 0;
        for (int i = 0; i < 6; i++) {
            LeaderElection winner = i % 2 == 0 ? election : theirs;
            LeaderElection loser = i % 2 == 0 ? theirs : election;
            try (Leadership leadership = winner.campaign()) {
                assertThat(leadership.isValid()).isTrue();
                assertThat(leadership.name()).isEqualTo("boss");
                assertThat(leadership.fencingToken()).isGreaterThan(last);
                assertThat(loser.tryCampaign()).isEmpty();
                assertThat(winner.tryCampaign()).isEmpty();
                last = leadership.fencingToken();
            }
        }
    }

    @Test
    void aCandidateLeadsSoonAfterTheLeaderResigns() throws InterruptedException {
        Leadership first = election.campaign();
        SimThread candidate = start("candidate", () -> {
            try (Leadership second = theirs.campaign()) {
                assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
            }
        });
        sim.runFor(Duration.ofMinutes(3));
        assertThat(first.isValid()).as("renewed").isTrue();
        assertThat(candidate.done()).isFalse();
        first.close();
        sim.runUntil(candidate::done, Duration.ofMillis(10));
        candidate.join();
        assertThat(first.isValid()).isFalse();
        assertThat(first.remainingLease()).isZero();
    }

    @Test
    void aLeaderWhoseStoreIsSilentStopsAtItsDeadlineAndBeforeAnotherLeads() throws InterruptedException {
        Leadership old = election.campaign();
        List<Duration> told = new ArrayList<>();
        old.onEnd(end -> {
            ends.add(end);
            told.add(sim.elapsed());
        });
        SimThread next = start("next", () -> {
            try (Leadership leadership = theirs.campaign()) {
                assertThat(old.isValid()).isFalse();
                assertThat(ends).hasSize(1);
                assertThat(leadership.fencingToken()).isGreaterThan(old.fencingToken());
            }
        });
        sim.runFor(Duration.ofMillis(100));
        faults(a).probability(Fault.DROP_REQUEST, 1.0);
        Duration deadline = sim.elapsed().plus(old.remainingLease());
        sim.runFor(old.remainingLease().minusMillis(1));
        assertThat(old.isValid()).isTrue();
        assertThat(ends).isEmpty();
        sim.runFor(Duration.ofMillis(2));
        assertThat(old.isValid()).isFalse();
        assertThat(ends).hasOnlyElementsOfType(Leadership.End.Lost.class).hasSize(1);
        assertThat(told.get(0)).isLessThanOrEqualTo(deadline.plusMillis(1));
        assertThat(next.done()).isFalse();
        sim.runUntil(next::done, Duration.ofSeconds(2));
        next.join();
        assertThatThrownBy(() -> old.ensureValid(Duration.ZERO)).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(old::close).isInstanceOf(LeaseLostException.class);
        old.close();
        assertThat(ends).hasSize(1);
    }

    @Test
    void ensureValidRenewsWhenTooLittleIsLeft() throws InterruptedException {
        try (Leadership leadership = election.campaign()) {
            sim.runFor(Duration.ofSeconds(8));
            long before = calls(a);
            leadership.ensureValid(Duration.ofSeconds(10));
            assertThat(calls(a)).isEqualTo(before);
            leadership.ensureValid(Duration.ofSeconds(29));
            assertThat(calls(a)).isEqualTo(before + 1);
            assertThatThrownBy(() -> leadership.ensureValid(LEASE)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void theEndIsToldOnceAlsoToWhoAsksLate() throws InterruptedException {
        Leadership leadership = election.campaign().onEnd(ends::add);
        leadership.onEnd(end -> {
            throw new IllegalStateException("planned");
        });
        leadership.onEnd(ends::add);
        leadership.close();
        leadership.close();
        sim.runReady();
        assertThat(ends).containsExactly(new Leadership.End.Resigned(), new Leadership.End.Resigned());
        leadership.onEnd(ends::add);
        sim.runReady();
        assertThat(ends).hasSize(3);
    }

    @Test
    void aLossThatIsFoundByTheResignationIsALoss() throws InterruptedException {
        Leadership leadership = election.campaign().onEnd(ends::add);
        Leadership later = LeaderElection.of(a, "other").campaign().onEnd(ends::add);
        server.wipe();
        assertThatThrownBy(leadership::close).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> sim.await(later.closeAsync())).isInstanceOf(LeaseLostException.class);
        sim.runReady();
        assertThat(ends).hasOnlyElementsOfType(Leadership.End.Lost.class).hasSize(2);
    }

    @Test
    void aLeadershipIsALeaseThatTheWatchdogRenews() throws InterruptedException {
        List<Long> lost = new ArrayList<>();
        Leadership leadership = election.campaign().onLost(loss -> lost.add(loss.fencingToken()));
        assertThatThrownBy(() -> leadership.extend(LEASE)).isInstanceOf(IllegalStateException.class);
        server.wipe();
        sim.runFor(LEASE);
        assertThat(lost).containsExactly(leadership.fencingToken());
        assertThatThrownBy(leadership::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void itIsResignedWithoutWaiting() throws InterruptedException {
        Leadership leadership = election.campaign().onEnd(ends::add);
        sim.await(leadership.closeAsync());
        sim.await(leadership.closeAsync());
        sim.runReady();
        assertThat(ends).containsExactly(new Leadership.End.Resigned());
        assertThat(theirs.leader()).isEmpty();
    }

    @Test
    void endsLikeAResignationWhenTheClientIsClosed() throws InterruptedException {
        Holdfast c = client("c");
        Leadership leadership = LeaderElection.of(c, "boss").campaign().onEnd(ends::add);
        c.close();
        sim.runReady();
        assertThat(ends).containsExactly(new Leadership.End.Resigned());
        leadership.onEnd(ends::add);
        sim.runReady();
        assertThat(ends).hasSize(2);
        election.campaign(Duration.ZERO).close();
    }

    @Test
    void delaysNoOtherCallbacksWhenActionsForTheEndBlock() throws InterruptedException {
        for (String name : List.of("one", "two", "three")) {
            LeaderElection.of(a, name).campaign().onEnd(end -> sim.sleep(LONG)).close();
        }
        CompletableFuture<Leadership> next = election.async().campaign();
        sim.runFor(Duration.ofSeconds(1));
        assertThat(next).isCompleted();
        next.join().close();
        sim.runFor(LONG.multipliedBy(2));
    }

    @Test
    void releasesALeadershipThatIsNotDeliveredWithinItsLease() throws InterruptedException {
        List<Runnable> handed = new ArrayList<>();
        Holdfast c = client("c", options -> options.callbackExecutor(handed::add));
        CompletableFuture<Leadership> campaign =
                LeaderElection.of(c, "boss").async().campaign();
        sim.runFor(LEASE);
        assertThat(theirs.leader()).isPresent();
        sim.runFor(Duration.ofSeconds(2));
        assertThat(theirs.leader()).isEmpty();
        assertThat(events(LockEvent.Lost.class))
                .hasSize(1)
                .first()
                .satisfies(lost -> assertThat(lost.reason()).contains("was not completed within the lease"));
        // the executor is free at last, and the candidate campaigns again
        while (!campaign.isDone()) {
            handed.remove(0).run();
            sim.runReady();
        }
        assertThat(campaign.join().isValid()).isTrue();
        campaign.join().close();
    }

    @Test
    void waitsPassAndSayWhoLeads() throws InterruptedException {
        try (Leadership leadership = theirs.campaign()) {
            Duration before = sim.elapsed();
            assertThat(election.tryCampaign(Duration.ofMillis(800))).isEmpty();
            assertThat(election.tryCampaign(Duration.ZERO)).isEmpty();
            assertThat(sim.elapsed().minus(before)).isEqualTo(Duration.ofMillis(800));
            assertThatThrownBy(() -> election.campaign(Duration.ofMillis(200)))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining("'boss'")
                    .hasMessageContaining("200 ms")
                    .hasMessageContaining("token " + leadership.fencingToken());
        }
        election.campaign(Duration.ZERO).close();
        election.tryCampaign(Duration.ofSeconds(1)).orElseThrow().close();
    }

    @Test
    void theLeaderIsShownWithItsTerm() throws InterruptedException {
        assertThat(theirs.leader()).isEmpty();
        try (Leadership leadership = election.campaign()) {
            LockReport.Holder holder = theirs.leader().orElseThrow();
            assertThat(holder.client().id()).isEqualTo(a.clientId());
            assertThat(holder.fencingToken()).hasValue(leadership.fencingToken());
        }
    }

    @Test
    void anInterruptEndsACampaignAndLeavesNothing() throws InterruptedException {
        try (Leadership leadership = theirs.campaign()) {
            SimThread candidate = start("candidate", election::campaign);
            sim.runFor(Duration.ofSeconds(3));
            candidate.interrupt();
            sim.runUntil(candidate::done, Duration.ofMillis(10));
            assertThat(candidate.failure()).containsInstanceOf(InterruptedException.class);
            sim.runFor(Duration.ofMillis(10));
            assertThat(b.inspect("boss").waiters()).isEmpty();
            assertThat(leadership.isValid()).isTrue();
        }
    }

    @Test
    void aLeaderDoesNotWaitForItself() throws InterruptedException {
        try (Leadership leadership = election.campaign()) {
            assertThatThrownBy(election::campaign)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("would wait for itself")
                    .hasMessageContaining("token " + leadership.fencingToken());
        }
    }

    @Test
    void aForgottenLeadershipIsNotRenewed() throws InterruptedException {
        forget();
        for (int i = 0; i < 50 && events(LockEvent.Abandoned.class).isEmpty(); i++) {
            System.gc();
            sim.runFor(Duration.ofSeconds(11));
        }
        assertThat(events(LockEvent.Abandoned.class)).hasSize(1);
        sim.runFor(LEASE);
        theirs.campaign().close();
    }

    private void forget() throws InterruptedException {
        Leadership leadership = election.campaign();
        leadership.onEnd(end -> stopped(leadership.fencingToken()));
    }

    private void stopped(long term) {
        sim.log("stopped " + term);
    }

    @Test
    void futuresLeadToo() {
        Leadership first = sim.await(election.async().campaign());
        CompletableFuture<Leadership> second = theirs.async().campaign();
        assertThat(sim.await(theirs.async().tryCampaign())).isEmpty();
        assertThat(sim.await(theirs.async().tryCampaign(Duration.ofSeconds(1)))).isEmpty();
        assertThatThrownBy(() -> sim.await(theirs.async().campaign(Duration.ofSeconds(1))))
                .isInstanceOf(LockTimeoutException.class);
        first.close();
        sim.await(second).close();
        Optional<Leadership> third = sim.await(election.async().tryCampaign());
        assertThat(third.orElseThrow().isValid()).isTrue();
        third.orElseThrow().close();
    }

    @Test
    void aCancelledCampaignLeavesNothing() throws InterruptedException {
        try (Leadership leadership = theirs.campaign()) {
            List<CompletableFuture<?>> futures = List.of(
                    election.async().campaign(),
                    election.async().tryCampaign(LONG),
                    election.async().campaign(LONG));
            sim.runFor(Duration.ofSeconds(3));
            futures.forEach(future -> future.cancel(false));
            sim.runFor(Duration.ofMillis(10));
            assertThat(b.inspect("boss").waiters()).isEmpty();
            assertThat(leadership.isValid()).isTrue();
        }
        Held reply = faults(a).holdReply(Operation.ACQUIRE);
        CompletableFuture<Leadership> late = election.async().campaign();
        sim.runUntil(reply::isCaught, LONG);
        late.cancel(false);
        reply.letGo();
        assertNothingIsLeft();
        assertThat(theirs.leader()).isEmpty();
    }

    @Test
    void optionsSayHowSoonADeadLeaderIsFollowed() throws InterruptedException {
        LockOptions brief = LockOptions.defaults().withLease(Duration.ofSeconds(3));
        Leadership leadership = LeaderElection.of(a, "boss", brief).campaign();
        faults(a).outage(true);
        Duration before = sim.elapsed();
        theirs.campaign().close();
        assertThat(sim.elapsed().minus(before)).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(4));
        faults(a).outage(false);
        assertThatThrownBy(leadership::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void badNamesAndClosedClientsAreRefused() {
        assertThatThrownBy(() -> LeaderElection.of(a, ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 bytes");
        Holdfast c = client("c");
        LeaderElection left = LeaderElection.of(c, "boss");
        c.close();
        assertThatThrownBy(() -> LeaderElection.of(c, "boss")).hasMessageContaining("client c is closed");
        assertThatThrownBy(left::campaign).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(left::tryCampaign).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(left::leader).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> left.async().campaign()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> left.watch(LEASE, leader -> {})).hasMessageContaining("client c is closed");
    }

    @Test
    void theEndOfALeadershipWaitsForNoActionForALoss() throws InterruptedException {
        Lease stuck = a.lock("stuck").acquire().onLost(loss -> sim.sleep(Duration.ofMinutes(1)));
        Leadership leadership = election.campaign().onEnd(ends::add);
        b.lock("stuck").forceUnlock();
        sim.runFor(Duration.ofMillis(100));
        b.lock("boss").forceUnlock();
        sim.runFor(Duration.ofMillis(100));
        assertThat(ends).hasSize(1);
        assertThatThrownBy(stuck::close).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(leadership::close).isInstanceOf(LeaseLostException.class);
        sim.runFor(Duration.ofMinutes(2));
    }
}
