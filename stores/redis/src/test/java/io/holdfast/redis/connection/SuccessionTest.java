package io.holdfast.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.connection.Succession.Known;
import io.holdfast.testkit.Simulation;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What three Sentinels say of two masters, in virtual time. */
class SuccessionTest {

    private static final Known FORMER = new Known("10.0.0.1", 1, 9);
    private static final Known MASTER = new Known("10.0.0.2", 2, 10);

    private final Simulation simulation = Simulation.of(7);
    private final Succession succession = new Succession(simulation, 3);

    private void runFor(long seconds) {
        simulation.runFor(Duration.ofSeconds(seconds));
    }

    @Test
    void choosesTheAnswerOfTheLatestFailover() {
        assertThat(succession.master(List.of(FORMER, MASTER))).contains(MASTER);
        assertThat(succession.master(List.of(MASTER, FORMER))).contains(MASTER);
    }

    @Test
    void believesNoSentinelThatIsCutOffForHowLongEver() {
        assertThat(succession.master(List.of(MASTER))).contains(MASTER);
        runFor(1_000);
        assertThat(succession.master(List.of(FORMER))).isEmpty();
        assertThat(succession.master(List.of(MASTER))).contains(MASTER);
    }

    @Test
    void believesAMajorityThatHasBeenSetUpAgain() {
        assertThat(succession.master(List.of(MASTER))).contains(MASTER);
        assertThat(succession.master(List.of(FORMER, FORMER)))
                .as("they may not have heard yet")
                .isEmpty();
        runFor(3);
        assertThat(succession.master(List.of(FORMER, FORMER))).contains(FORMER);
        assertThat(succession.master(List.of(FORMER))).contains(FORMER);
    }

    @Test
    void leavesAMasterWhoseReplacementWasReported() {
        assertThat(succession.master(List.of(FORMER))).contains(FORMER);
        succession.replaced("10.0.0.1:1", "10.0.0.2:2");
        runFor(1_000);
        assertThat(succession.isReplaced("10.0.0.1:1")).isTrue();
        assertThat(succession.master(List.of(FORMER))).isEmpty();
        assertThat(succession.master(List.of(FORMER, MASTER))).contains(MASTER);
        assertThat(succession.isReplaced("10.0.0.1:1")).isFalse();
    }

    @Test
    void returnsToAMasterThatALaterFailoverHasPromotedAgain() {
        Known again = new Known(FORMER.host(), FORMER.port(), 11);
        assertThat(succession.master(List.of(FORMER))).contains(FORMER);
        succession.replaced("10.0.0.1:1", "10.0.0.2:2");
        assertThat(succession.master(List.of(again))).contains(again);
    }

    @Test
    void leavesAllMastersWhoseReplacementWasReported() {
        assertThat(succession.master(List.of(FORMER))).contains(FORMER);
        succession.replaced("10.0.0.1:1", "10.0.0.2:2");
        succession.replaced("10.0.0.3:3", "10.0.0.2:2");
        assertThat(succession.master(List.of(FORMER))).isEmpty();
        succession.replaced("10.0.0.2:2", "10.0.0.1:1");
        assertThat(succession.master(List.of(FORMER)))
                .as("it is the master again")
                .contains(FORMER);
    }

    /** The report may come before the first answer. */
    @Test
    void beginsWithNoMasterWhoseReplacementWasReported() {
        succession.replaced("10.0.0.1:1", "10.0.0.2:2");
        assertThat(succession.master(List.of(FORMER, FORMER))).isEmpty();
        assertThat(succession.master(List.of(FORMER, MASTER))).contains(MASTER);
    }

    /** Its epoch was read a moment before the failover, and its address a moment after. */
    @Test
    void prefersAMasterToOneThatWasReplacedInTheSameEpoch() {
        Known early = new Known(MASTER.host(), MASTER.port(), FORMER.epoch());
        assertThat(succession.master(List.of(FORMER))).contains(FORMER);
        succession.replaced("10.0.0.1:1", "10.0.0.2:2");
        assertThat(succession.master(List.of(FORMER, early))).contains(early);
        assertThat(succession.master(List.of(early, FORMER))).contains(early);
    }

    /** The Sentinel that led it has died before it told the others. */
    @Test
    void returnsToAMasterWhoseReplacementAMajorityHasNotHeardOf() {
        assertThat(succession.master(List.of(FORMER))).contains(FORMER);
        succession.replaced("10.0.0.1:1", "10.0.0.2:2");
        assertThat(succession.master(List.of(FORMER, FORMER))).isEmpty();
        runFor(3);
        assertThat(succession.master(List.of(FORMER, FORMER))).contains(FORMER);
        assertThat(succession.isReplaced("10.0.0.1:1")).isFalse();
    }
}
