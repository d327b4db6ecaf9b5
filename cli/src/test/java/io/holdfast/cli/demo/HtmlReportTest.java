package io.holdfast.cli.demo;

import static io.holdfast.cli.demo.Samples.visit;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.demo.Overlaps.Span;
import io.holdfast.examples.flashsale.Seller;
import io.holdfast.examples.flashsale.StrategyKind;
import io.holdfast.examples.flashsale.Timeline;
import io.holdfast.examples.flashsale.Visit;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

class HtmlReportTest {

    private static final Pattern DRAWING = Pattern.compile("<svg.*?</svg>", Pattern.DOTALL);

    @Test
    void needsNothingElse() throws IOException {
        assertThat(page(StrategyKind.LOCK))
                .doesNotContain("http:", "https:", "src=", "<script", "<link", "@import", "url(")
                .contains("prefers-color-scheme: dark");
    }

    @Test
    void hasTheTableAndTheAccidents() throws IOException {
        assertThat(page(StrategyKind.LOCK))
                .contains("<td>lock</td>", ">killed</text>", ">slow</text>", "Around the death")
                .doesNotContain("cret");
    }

    @Test
    void overlapsAreRedWhereAllOthersShouldBeKeptOut() throws IOException {
        assertThat(page(StrategyKind.LOCK))
                .contains("class=\"over\" d=", "For 50.0 ms more than one seller was inside");
        assertThat(page(StrategyKind.SEGMENTED))
                .doesNotContain("class=\"over\" d=")
                .contains("Several sellers may be inside at once here");
    }

    @Test
    void drawingsAreWellFormed() throws Exception {
        Matcher drawing = DRAWING.matcher(page(StrategyKind.LOCK));
        int count = 0;
        while (drawing.find()) {
            var root = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader(drawing.group())))
                    .getDocumentElement();
            assertThat(root.getAttribute("viewBox")).matches("0 0 (460|1000) \\d+");
            count++;
        }
        assertThat(count).as("two charts, one timeline and two closer looks").isEqualTo(5);
    }

    @Test
    void theTimesOfPurchasesHaveAnAxisWithTicks() {
        String svg = new Charts(List.of(Samples.NONE, Samples.LOCK)).latency();
        assertThat(Pattern.compile("<line class=\"grid\" x1=\"([\\d.]+)\"")
                        .matcher(svg)
                        .results())
                .extracting(line -> line.group(1))
                .as("from 0.1 ms to 10 s, as the longest purchase took 2.1 s")
                .containsExactly("92", "130", "168", "206", "244", "282");
        assertThat(Pattern.compile("middle[^>]*>([^<]+)</text>").matcher(svg).results())
                .extracting(text -> text.group(1))
                .containsExactly("0.1", "1", "10", "100", "1000", "10000", "time for a purchase, in ms");
        assertThat(svg).as("2 s is between 1 s and 10 s").contains("cx=\"256.2\"");
    }

    @Test
    void aSaleWithoutOrdersHasNoTimeline() throws IOException {
        assertThat(page(StrategyKind.LOCK, Samples.NOTHING)).doesNotContain("The whole sale");
    }

    @Test
    void thousandsOfVisitsStaySmall() throws IOException {
        List<Visit> visits = new ArrayList<>();
        for (int i = 0; i < 200_000; i++) {
            visits.add(new Visit(new Seller(i % 4, i % 8), 2L * i, 2L * i + 1 + i % 5));
        }
        assertThat(page(StrategyKind.NONE, new Timeline(visits, List.of()))).hasSizeLessThan(100_000);
    }

    @Test
    void aVisitIsDrawnWhereItWas() {
        Timeline timeline = new Timeline(List.of(visit(1, 250, 500)), List.of());
        String svg = new Lanes(timeline, List.of(), 2, 1, new Span(0, 1_000), 0).draw();
        assertThat(svg).contains("<path class=\"busy\" d=\"M310 50h230v26h-230z\"/>");
    }

    private static String page(StrategyKind strategy) throws IOException {
        return page(strategy, Samples.timeline());
    }

    private static String page(StrategyKind strategy, Timeline timeline) throws IOException {
        Count count = Samples.count(3, 497, new long[] {1_000_000, 1_002_950, 1_003_000}, timeline);
        Row row = Row.of(strategy, Samples.OPTIONS, count, new Row.Ending(1, true, 0, false));
        return HtmlReport.of(Samples.OPTIONS, List.of(new Sold(row, count)));
    }
}
