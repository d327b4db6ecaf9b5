package io.holdfast.examples.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PercentilesTest {

    @Test
    void takesTheNearestRank() {
        Percentiles hundred =
                new Percentiles(LongStream.rangeClosed(1, 100).map(i -> 101 - i).toArray());
        assertThat(hundred.at(50)).isEqualTo(50);
        assertThat(hundred.at(99)).isEqualTo(99);
        assertThat(hundred.at(100)).isEqualTo(100);
    }

    @Test
    void oneValueIsAllOfThem() {
        assertThat(new Percentiles(new long[] {7}).at(50)).isEqualTo(7);
        assertThat(new Percentiles(new long[] {7}).at(99)).isEqualTo(7);
    }

    @Test
    void noValueIsZero() {
        assertThat(new Percentiles(new long[0]).at(99)).isZero();
    }
}
