package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.LockReport;
import io.holdfast.recipes.LeaderElection;
import io.holdfast.recipes.Leadership;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who leads, as others see it. */
class LeaderWatchTest extends VirtualTime {

    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final LeaderElection election = LeaderElection.of(a, "boss");
    private final LeaderElection seen = LeaderElection.of(b, "boss");
    private final List<String> told = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
    }

    private void note(Optional<LockReport.Holder> leader) {
        told.add(leader.map(who -> who.fencingToken().orElseThrow() + "").orElse("nobody"));
    }

    @Test
    void itTellsWhoLeadsAndEachChange() throws InterruptedException {
        try (LeaderElection.Watch watch = seen.watch(PERIOD, this::note)) {
            sim.runFor(Duration.ofSeconds(5));
            assertThat(told).containsExactly("nobody");
            Leadership first = election.campaign();
            sim.runFor(Duration.ofSeconds(60));
            assertThat(told).containsExactly("nobody", first.fencingToken() + "");
            first.close();
            Leadership second = election.campaign();
            sim.runFor(PERIOD);
            assertThat(told).as("the same client in another term").last().isEqualTo(second.fencingToken() + "");
            second.close();
            sim.runFor(PERIOD);
            assertThat(told).hasSize(4).last().isEqualTo("nobody");
            assertThat(watch.toString()).contains("'boss'").contains("PT1S");
        }
    }

    @Test
    void aLookIsOneStoreCallAPeriodWithoutAThreadInBetween() {
        long before = calls(b);
        try (LeaderElection.Watch watch = seen.watch(PERIOD, this::note)) {
            sim.runFor(Duration.ofMillis(30_500));
            assertThat(calls(b) - before).isEqualTo(31);
            assertThat(watch).isNotNull();
        }
    }

    @Test
    void afterCloseNothingIsAskedOrTold() throws InterruptedException {
        LeaderElection.Watch watch = seen.watch(PERIOD, this::note);
        sim.runFor(Duration.ofSeconds(3));
        watch.close();
        watch.close();
        long before = calls(b);
        try (Leadership leadership = election.campaign()) {
            sim.runFor(Duration.ofSeconds(10));
            assertThat(leadership.isValid()).isTrue();
        }
        assertThat(calls(b)).isEqualTo(before);
        assertThat(told).containsExactly("nobody");
        assertThat(watch.toString()).contains("closed");
    }

    @Test
    void anAnswerThatComesAfterTheCloseIsNotTold() {
        Held reply = faults(b).holdReply(Operation.INSPECT);
        LeaderElection.Watch watch = seen.watch(PERIOD, this::note);
        sim.runUntil(reply::isCaught, LONG);
        watch.close();
        reply.letGo();
        long before = calls(b);
        sim.runFor(Duration.ofSeconds(10));
        assertThat(told).isEmpty();
        assertThat(calls(b)).isEqualTo(before);
    }

    @Test
    void itIsClosedByWhatItTells() {
        List<LeaderElection.Watch> watches = new ArrayList<>();
        watches.add(seen.watch(PERIOD, leader -> {
            note(leader);
            watches.get(0).close();
        }));
        long before = calls(b);
        sim.runFor(Duration.ofSeconds(10));
        assertThat(told).hasSize(1);
        assertThat(calls(b)).isEqualTo(before);
    }

    @Test
    void itOutlastsAnOutageAndTellsTheNextChange() throws InterruptedException {
        try (LeaderElection.Watch watch = seen.watch(PERIOD, this::note)) {
            sim.runFor(Duration.ofSeconds(2));
            faults(b).outage(true);
            Leadership leadership = election.campaign();
            sim.runFor(Duration.ofMinutes(2));
            assertThat(told).containsExactly("nobody");
            faults(b).outage(false);
            sim.runFor(Duration.ofSeconds(4));
            assertThat(told).containsExactly("nobody", leadership.fencingToken() + "");
            leadership.close();
            assertThat(watch).isNotNull();
        }
    }

    @Test
    void anActionThatFailsDoesNotEndIt() throws InterruptedException {
        LeaderElection.Watch watch = seen.watch(PERIOD, leader -> {
            note(leader);
            throw new IllegalStateException("planned");
        });
        sim.runFor(Duration.ofSeconds(2));
        try (Leadership leadership = election.campaign()) {
            sim.runFor(Duration.ofSeconds(2));
            assertThat(told).containsExactly("nobody", leadership.fencingToken() + "");
        }
        watch.close();
    }

    @Test
    void itTellsOnTheUsersExecutorAndAsksWhenThatIsDone() {
        List<Runnable> handed = new ArrayList<>();
        Holdfast c = client("c", options -> options.callbackExecutor(handed::add));
        long before = calls(c);
        LeaderElection.Watch watch = LeaderElection.of(c, "boss").watch(PERIOD, this::note);
        sim.runFor(Duration.ofSeconds(10));
        assertThat(told).isEmpty();
        assertThat(handed).hasSize(1);
        handed.remove(0).run();
        assertThat(told).containsExactly("nobody");
        assertThat(calls(c) - before).isEqualTo(1);
        sim.runFor(PERIOD);
        assertThat(calls(c) - before).isEqualTo(2);
        watch.close();
    }

    @Test
    void theEndOfTheClientEndsIt() {
        Holdfast c = client("c");
        LeaderElection.Watch watch = LeaderElection.of(c, "boss").watch(PERIOD, this::note);
        sim.runFor(Duration.ofSeconds(3));
        c.close();
        long before = calls(c);
        sim.runFor(Duration.ofSeconds(10));
        assertThat(calls(c)).isEqualTo(before);
        watch.close();
    }

    @Test
    void periodsOutOfRangeAreRefused() {
        for (Duration bad : new Duration[] {Duration.ZERO, Duration.ofMillis(99), Duration.ofDays(366)}) {
            assertThatThrownBy(() -> seen.watch(bad, this::note))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'boss'")
                    .hasMessageContaining(bad.toString())
                    .hasMessageContaining("100 ms to 365 days");
        }
    }
}
