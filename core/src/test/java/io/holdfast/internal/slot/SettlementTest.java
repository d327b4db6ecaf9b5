package io.holdfast.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Share;
import io.holdfast.spi.TenureId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The verdict on a hold whose release was sent more than once. */
class SettlementTest {

    private final Settlement settlement = settlementOfHeldTenure();

    private static Settlement settlementOfHeldTenure() {
        Tenure tenure = new Tenure(new TenureId("c", 1), Share.LOCK);
        tenure.state = Tenure.State.HELD;
        return new Settlement("n", tenure, false, List.of());
    }

    private void assertLost() {
        assertThat(settlement.verdict.join()).contains("gone");
    }

    /** The only copy timed out, and its answer arrives after that. */
    @Test
    void aLateAnswerIsALossIfNoEarlierCopyMayHaveReleased() {
        settlement.failed(1, true);
        settlement.notHeld(1, false, "gone");
        assertLost();
    }

    /** A store may apply the copies in another order than that in which they were sent. */
    @Test
    void anAnswerToTheFirstCopyIsNoLossIfTheSecondMayHaveOvertakenIt() {
        sendTwoCopies();
        settlement.failed(1, true);
        settlement.notHeld(1, false, "gone");
        assertThat(settlement.isUndecided()).isTrue();
        settlement.failed(2, true);
        assertThat(settlement.verdict.join()).isEmpty();
    }

    @Test
    void anAnswerToTheFirstCopyIsNoLossIfTheSecondHasReleased() {
        sendTwoCopies();
        settlement.notHeld(1, false, "gone");
        settlement.released();
        assertThat(settlement.verdict.join()).isEmpty();
    }

    @Test
    void anAnswerToTheFirstCopyIsALossIfTheSecondHasNotReleasedEither() {
        sendTwoCopies();
        settlement.failed(1, true);
        settlement.notHeld(1, false, "gone");
        settlement.notHeld(2, false, "gone");
        assertLost();
    }

    @Test
    void anAnswerToTheFirstCopyIsALossIfTheSecondWasNotApplied() {
        sendTwoCopies();
        settlement.notHeld(1, false, "gone");
        settlement.failed(2, false);
        assertLost();
    }

    private void sendTwoCopies() {
        assertThat(settlement.nextCopy()).isEqualTo(1);
        assertThat(settlement.nextCopy()).isEqualTo(2);
    }

    @Test
    void anAnswerToTheSecondCopyIsNoLossIfTheFirstMayHaveReleased() {
        settlement.failed(1, true);
        settlement.notHeld(2, false, "gone");
        assertThat(settlement.verdict.join()).isEmpty();
    }

    @Test
    void reportsLossIfTheStoreKnowsThatTheFirstCopyHasNotReleased() {
        settlement.failed(1, true);
        settlement.notHeld(2, true, "gone");
        assertLost();
    }
}
