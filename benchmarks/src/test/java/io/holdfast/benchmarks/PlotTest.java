package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class PlotTest {

    @Test
    void eachStepIsAFactor() {
        Plot plot = new Plot("Locks", "threads", "pairs/s");
        plot.add("one", List.of(new double[] {1, 10}, new double[] {10, 100}, new double[] {100, 1_000}));

        assertThat(plot.toSvg(""))
                .contains("M70.0 276.0 L335.0 146.0 L600.0 16.0")
                .contains(">1k</text>");
    }

    @Test
    void whatIsNotAboveZeroIsLeftOut() {
        Plot plot = new Plot("Locks", "threads", "pairs/s");
        plot.add("none", List.of(new double[] {1, 0}));

        assertThat(plot.isEmpty()).isTrue();
    }

    private static String plot() {
        Plot plot = new Plot("Locks", "threads", "pairs/s");
        for (int i = 0; i < 4; i++) {
            plot.add("curve" + i, List.of(new double[] {1, 10}, new double[] {10, 100 + i}));
        }
        return plot.toSvg("");
    }

    @Test
    void hasATitleAndALabelAtEachAxis() {
        assertThat(plot())
                .contains("<text class=\"title\" text-anchor=\"start\" x=\"70\" y=\"-6\">Locks</text>")
                .contains("rotate(-90)\">pairs/s</text>")
                .contains(">threads</text>")
                .contains("viewBox=\"0 -28 760 348\"")
                .contains("aria-label=\"Locks: pairs/s by threads\"");
    }

    @Test
    void namesOfCurvesThatEndTogetherDoNotOverlap() {
        List<Double> heights = Pattern.compile("y=\"([-.\\d]+)\">curve\\d</text>")
                .matcher(plot())
                .results()
                .map(name -> Double.valueOf(name.group(1)))
                .sorted()
                .toList();
        assertThat(heights).hasSize(4);
        for (int i = 1; i < heights.size(); i++) {
            assertThat(heights.get(i) - heights.get(i - 1)).isGreaterThanOrEqualTo(14);
        }
    }
}
