package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PlotTest {

    @Test
    void eachStepIsAFactor() {
        Plot plot = new Plot("threads", "pairs/s");
        plot.add("one", List.of(new double[] {1, 10}, new double[] {10, 100}, new double[] {100, 1_000}));

        assertThat(plot.toSvg(""))
                .contains("M70.0 276.0 L335.0 146.0 L600.0 16.0")
                .contains(">1k</text>");
    }

    @Test
    void whatIsNotAboveZeroIsLeftOut() {
        Plot plot = new Plot("threads", "pairs/s");
        plot.add("none", List.of(new double[] {1, 0}));

        assertThat(plot.isEmpty()).isTrue();
    }
}
