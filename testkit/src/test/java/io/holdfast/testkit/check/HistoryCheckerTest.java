package io.holdfast.testkit.check;

import static io.holdfast.testkit.check.HistoryChecker.Kind.OVERLAP;
import static io.holdfast.testkit.check.HistoryChecker.Kind.SILENT_LOSS;
import static io.holdfast.testkit.check.HistoryChecker.Kind.TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testkit.check.HistoryChecker.Hold;
import io.holdfast.testkit.check.HistoryChecker.Violation;
import org.junit.jupiter.api.Test;

class HistoryCheckerTest {

    private static final long NOW = 1_000;

    private final HistoryChecker history = new HistoryChecker();

    private Hold hold(String owner, long token, long start, long end) {
        Hold hold = history.granted("n", owner, token, start);
        hold.released(end);
        return hold;
    }

    private void assertFound(HistoryChecker.Kind... kinds) {
        assertThat(history.violations(NOW)).extracting(Violation::kind).containsExactly(kinds);
    }

    @Test
    void nothingIsWrongWithNothing() {
        history.check(NOW);
        assertThat(history.grants()).isZero();
    }

    @Test
    void holdsMayFollowEachOtherAtOnce() {
        hold("a", 1, 0, 10);
        hold("b", 2, 10, 20);
        hold("c", 3, 20, 20);
        history.granted("n", "d", 4, 20);
        assertFound();
        assertThat(history.grants()).isEqualTo(4);
    }

    @Test
    void holdsOfDifferentNamesMayOverlap() {
        history.granted("n", "a", 1, 0);
        history.granted("m", "b", 1, 5);
        assertFound();
    }

    private void read(String owner, long token, long start, long end) {
        history.grantedToRead("n", owner, token, start).released(end);
    }

    @Test
    void readersMayOverlapAndShareATokenOrNot() {
        read("a", 5, 0, 10);
        read("b", 5, 3, 12);
        read("c", 4, 5, 12);
        hold("d", 6, 12, 20);
        read("e", 7, 20, 30);
        assertFound();
    }

    @Test
    void whoReadsBesideAWriterIsSeen() {
        read("a", 1, 0, 30);
        read("b", 1, 2, 5);
        hold("c", 2, 10, 20);
        assertFound(OVERLAP);
        read("d", 3, 15, 16);
        assertFound(OVERLAP, OVERLAP);
    }

    @Test
    void aReadersTokenHasToBeAboveThatOfTheWriterBefore() {
        hold("a", 3, 0, 10);
        read("b", 3, 10, 20);
        assertFound(TOKEN);
        hold("c", 3, 20, 30);
        assertFound(TOKEN, TOKEN);
    }

    @Test
    void anOverlapIsSeen() {
        hold("a", 1, 0, 10);
        hold("b", 2, 9, 20);
        assertFound(OVERLAP);
        assertThatThrownBy(() -> history.check(NOW))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("n by a, token 1, from 0 to 10")
                .hasMessageContaining("n by b");
    }

    @Test
    void anOverlapWithAHoldThatEndedLongAfterOthersIsSeen() {
        hold("a", 1, 0, 100);
        hold("b", 2, 10, 20);
        hold("c", 3, 30, 40);
        assertFound(OVERLAP, OVERLAP);
    }

    @Test
    void anOverlapIsSeenWhateverTheOrderOfTheNotes() {
        hold("b", 2, 9, 20);
        hold("a", 1, 0, 10);
        assertFound(OVERLAP);
    }

    @Test
    void aHoldWithoutAnEndOverlapsAllThatFollow() {
        history.granted("n", "a", 1, 0);
        hold("b", 2, 500, 501);
        assertFound(OVERLAP);
    }

    @Test
    void aHoldWhoseValidityEndedDoesNotOverlap() {
        Hold first = history.granted("n", "a", 1, 0);
        first.validUntil(10);
        first.lost(10);
        hold("b", 2, 10, 20);
        assertFound();
    }

    @Test
    void aRenewedHoldIsValidForLonger() {
        Hold first = history.granted("n", "a", 1, 0);
        first.validUntil(10);
        first.validUntil(30);
        first.validUntil(20);
        first.released(30);
        hold("b", 2, 25, 40);
        assertFound(OVERLAP);
    }

    @Test
    void aRepeatedTokenIsSeen() {
        hold("a", 7, 0, 10);
        hold("b", 7, 10, 20);
        assertFound(TOKEN);
    }

    @Test
    void aFallingTokenIsSeenAlsoLater() {
        hold("a", 7, 0, 10);
        hold("b", 3, 10, 20);
        hold("c", 5, 20, 30);
        hold("d", 8, 30, 40);
        assertFound(TOKEN, TOKEN);
    }

    @Test
    void aSilentLossIsSeen() {
        history.granted("n", "a", 1, 0).validUntil(10);
        assertFound(SILENT_LOSS);
    }

    @Test
    void aLossToldTooLateIsSilent() {
        Hold hold = history.granted("n", "a", 1, 0);
        hold.validUntil(10);
        hold.lost(11);
        assertFound(SILENT_LOSS);
    }

    @Test
    void aReleaseAfterTheEndIsASilentLoss() {
        Hold hold = history.granted("n", "a", 1, 0);
        hold.validUntil(10);
        hold.released(11);
        assertFound(SILENT_LOSS);
    }

    @Test
    void aLossToldInTimeIsNotSilent() {
        Hold hold = history.granted("n", "a", 1, 0);
        hold.validUntil(10);
        hold.lost(10);
        hold.released(50);
        assertFound();
    }

    @Test
    void aHoldThatIsStillValidIsNotLost() {
        history.granted("n", "a", 1, 0).validUntil(NOW);
        assertFound();
    }
}
