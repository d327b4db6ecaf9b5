package io.holdfast.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.demo.Row.Ending;
import io.holdfast.examples.flashsale.StrategyKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class RowTest {

    private static final long[] NONE = {};
    private static final int STOCK = 100;

    @ParameterizedTest
    @CsvSource({
        "sold as it should be,         100,  0,  0,  0, true",
        "oversold,                     130,  0, 30, 30, false",
        "updates lost before the end,  100, 40,  0, 40, false",
        "items unsold,                  70, 30,  0,  0, false",
        "stock written below zero,     120, -20, 20, 0, false",
        "orders lost,                   80,  0,  0, -20, false"
    })
    void countsWhatIsInRedis(String what, long orders, long left, long oversold, long lostUpdates, boolean exact) {
        Row row = row(StrategyKind.NONE, Samples.count(orders, left, NONE, Samples.NOTHING), 0);
        assertThat(row.oversold()).as(what).isEqualTo(oversold);
        assertThat(row.lostUpdates()).as(what).isEqualTo(lostUpdates);
        assertThat(row.exact()).as(what).isEqualTo(exact);
    }

    @Test
    void speedIsThatOfTheFirstHalf() {
        long[] millis = new long[STOCK];
        for (int i = 0; i < STOCK; i++) {
            millis[i] = 1_000 + (i < STOCK / 2 ? i * 10L : 5_000 + i * 100L);
        }
        Row row = row(StrategyKind.LOCK, Samples.count(STOCK, 0, millis, Samples.NOTHING), 1);
        assertThat(row.perSecond()).isEqualTo(100.0);
        assertThat(row.stalledMillis()).isEqualTo(9_510);
    }

    @Test
    void aStallCountsUntilTheSaleIsGivenUp() {
        Count count = Samples.count(2, 98, new long[] {1000, 1010}, Samples.NOTHING);
        Row row = Row.of(StrategyKind.LOCK, Samples.options(STOCK), count, new Ending(1, false, 7010, false));
        assertThat(row.stalledMillis()).isEqualTo(6000);
        assertThat(row.perSecond()).isEqualTo(100.0);
    }

    @Test
    void aSaleWithoutOrdersHasZeros() {
        Row row = row(StrategyKind.LOCK, Samples.count(0, STOCK, NONE, Samples.NOTHING), 0);
        assertThat(row.perSecond()).isZero();
        assertThat(row.stalledMillis()).isZero();
        assertThat(row.p999Micros()).isZero();
        assertThat(row.exact()).isFalse();
    }

    @Test
    void lostHoldsAndFencedOffPurchasesAreThoseInRedis() {
        Row row = row(StrategyKind.LOCK, Samples.count(STOCK, 0, NONE, Samples.NOTHING), 1);
        assertThat(row.lostHolds()).isEqualTo(3);
        assertThat(row.fencedOff()).isEqualTo(2);
        assertThat(row.asExpected()).as("the strategy survives both").isTrue();
    }

    @Test
    void overlapsAndSlowSalesComeFromTheTimeline() {
        Row row = row(StrategyKind.LOCK, Samples.count(3, 97, NONE, Samples.timeline()), 1);
        assertThat(row.overlapMillis()).isEqualTo(50);
        assertThat(row.slow()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCK", "FAIR", "SEGMENTED", "ALLOTMENT"})
    void whatPromisesExactnessMustBeExactThoughOneIsKilled(StrategyKind strategy) {
        assertThat(asExpected(strategy, STOCK, 1)).isTrue();
        assertThat(asExpected(strategy, STOCK, 0)).isFalse();
        assertThat(asExpected(strategy, STOCK, 2)).isFalse();
        assertThat(asExpected(strategy, STOCK + 1, 1)).isFalse();
        assertThat(asExpected(strategy, STOCK - 1, 1)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "DECREMENT", "SETNX", "SETNX_TTL", "SETNX_OWNER"})
    void ofTheOthersNothingIsExpected(StrategyKind strategy) {
        assertThat(asExpected(strategy, STOCK, 1)).isTrue();
        assertThat(asExpected(strategy, STOCK + 1, 0)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void aFailedWorkerIsNeverExpected(StrategyKind strategy) {
        Count count = Samples.count(STOCK, 0, NONE, Samples.NOTHING);
        assertThat(Row.of(strategy, Samples.options(STOCK), count, new Ending(1, true, 0, true))
                        .asExpected())
                .isFalse();
    }

    private static boolean asExpected(StrategyKind strategy, long orders, int killed) {
        return row(strategy, Samples.count(orders, 0, NONE, Samples.NOTHING), killed)
                .asExpected();
    }

    private static Row row(StrategyKind strategy, Count count, int killed) {
        return Row.of(strategy, Samples.options(STOCK), count, new Ending(killed, true, 0, false));
    }
}
