package io.holdfast.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.examples.flashsale.StrategyKind;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowTest {

    private static final long[] NONE = {};

    @ParameterizedTest
    @CsvSource({
        "sold as it should be,      10, 10,  0, 0, 0, true",
        "oversold,                  10, 13,  0, 3, 3, false",
        "updates lost before the end, 10, 10, 4, 0, 4, false",
        "items unsold,              10,  7,  3, 0, 0, false",
        "stock written below zero,  10, 12, -2, 2, 0, false",
        "orders lost,               10,  8,  0, 0, -2, false"
    })
    void countsWhatIsInRedis(
            String what, long stock, long orders, long left, long oversold, long lostUpdates, boolean exact) {
        Row row = row(StrategyKind.NONE, stock, new Count(orders, left, NONE, NONE), 0);
        assertThat(row.oversold()).as(what).isEqualTo(oversold);
        assertThat(row.lostUpdates()).as(what).isEqualTo(lostUpdates);
        assertThat(row.exact()).as(what).isEqualTo(exact);
    }

    @Test
    void measuresByTheTimesOfTheOrders() {
        Row row = row(StrategyKind.LOCK, 5, new Count(5, 0, new long[] {1000, 1010, 3010, 3020, 3040}, NONE), 1);
        assertThat(row.stalledMillis()).isEqualTo(2000);
        assertThat(row.perSecond()).as("without the stall").isEqualTo(125.0);
    }

    @Test
    void aStallCountsUntilTheSaleIsGivenUp() {
        Count count = new Count(2, 3, new long[] {1000, 1010}, NONE);
        Row row = Row.of(StrategyKind.LOCK, 5, Duration.ofMillis(2), count, 1, 7010);
        assertThat(row.stalledMillis()).isEqualTo(6000);
    }

    @Test
    void aSaleWithoutOrdersHasZeros() {
        Row row = row(StrategyKind.LOCK, 5, new Count(0, 5, NONE, NONE), 0);
        assertThat(row.perSecond()).isZero();
        assertThat(row.stalledMillis()).isZero();
        assertThat(row.p99Micros()).isZero();
        assertThat(row.exact()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "LOCK, 10, 1, true",
        "LOCK, 10, 0, false",
        "LOCK, 10, 2, false",
        "LOCK, 11, 1, false",
        "NONE, 11, 0, true"
    })
    void onlyTheLockIsExpectedToBeExact(StrategyKind strategy, long orders, int killed, boolean expected) {
        Row row = row(strategy, 10, new Count(orders, 0, NONE, NONE), killed);
        assertThat(row.asExpected()).isEqualTo(expected);
        assertThat(row.withFailure().asExpected()).isFalse();
    }

    private static Row row(StrategyKind strategy, long stock, Count count, int killed) {
        return Row.of(strategy, stock, Duration.ofMillis(2), count, killed, count.end());
    }
}
