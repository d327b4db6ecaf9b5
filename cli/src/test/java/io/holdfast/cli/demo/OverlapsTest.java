package io.holdfast.cli.demo;

import static io.holdfast.cli.demo.Samples.visit;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.demo.Overlaps.Span;
import io.holdfast.examples.flashsale.Visit;
import java.util.List;
import org.junit.jupiter.api.Test;

class OverlapsTest {

    @Test
    void oneAfterTheOtherIsNoOverlap() {
        assertThat(Overlaps.of(List.of(visit(0, 0, 10), visit(1, 10, 20), visit(0, 20, 30)))
                        .spans())
                .isEmpty();
    }

    @Test
    void twoAtOnceAreOne() {
        Overlaps overlaps = Overlaps.of(List.of(visit(0, 0, 10), visit(1, 7, 20)));
        assertThat(overlaps.spans()).containsExactly(new Span(7, 10));
        assertThat(overlaps.millis()).isEqualTo(3);
    }

    @Test
    void aLongVisitOverlapsAllThatBeginInIt() {
        Overlaps overlaps =
                Overlaps.of(List.of(visit(0, 0, 100), visit(1, 10, 20), visit(1, 30, 110), visit(2, 105, 120)));
        assertThat(overlaps.spans()).containsExactly(new Span(10, 20), new Span(30, 100), new Span(105, 110));
    }

    @Test
    void moreThanTwoAtOnceCountOnce() {
        Overlaps overlaps = Overlaps.of(List.of(visit(0, 0, 10), visit(1, 2, 8), visit(2, 4, 6), visit(3, 5, 9)));
        assertThat(overlaps.spans()).containsExactly(new Span(2, 9));
    }

    @Test
    void whoNeverEndsOverlapsAllWhoComeAfter() {
        Overlaps overlaps = Overlaps.of(List.of(visit(0, 0, Visit.NEVER), visit(1, 5, 6)));
        assertThat(overlaps.spans()).containsExactly(new Span(5, 6));
    }
}
