package io.holdfast.cli.demo;

import static io.holdfast.cli.demo.Samples.LOCK;
import static io.holdfast.cli.demo.Samples.NONE;
import static io.holdfast.cli.demo.Samples.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.fasterxml.jackson.jr.ob.JSON;
import io.holdfast.examples.flashsale.StrategyKind;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {

    @Test
    void jsonHasTheFigures() throws Exception {
        Map<String, Object> report = JSON.std.mapFrom(Report.of(OPTIONS, List.of(NONE, LOCK)));
        assertThat(report)
                .containsOnlyKeys("store", "processes", "threads", "stock", "undisturbedOrders", "rows")
                .contains(
                        entry("store", "redis://***@host:6379/1"),
                        entry("stock", 500),
                        entry("undisturbedOrders", 250));
        assertThat((List<?>) report.get("rows")).hasSize(2);
    }

    @Test
    void aRowHasExactlyTheseFields() throws Exception {
        String json = Report.of(OPTIONS, List.of(LOCK)).replaceAll("\\s+", "");
        assertThat(json).endsWith("""
                "rows":[{"strategy":"lock","orders":500,"left":0,"oversold":0,"lostUpdates":0,\
                "lostHolds":3,"fencedOff":2,"killed":1,"slow":1,"stalledMillis":2011,"overlapMillis":0,"workMillis":2.0,"perSecond":400.0,\
                "p50Micros":72350,"p99Micros":2085195,"p999Micros":2100000,"exact":true}]}""");
    }

    @Test
    void tableIsAligned() {
        StringWriter out = new StringWriter();
        Table.print(List.of(NONE, LOCK), new PrintWriter(out, true));
        assertThat(out.toString().lines()).containsExactly("""
                strategy  orders  left  oversold  lost updates  lost holds  fenced off  killed  stalled  orders/s      p50      p99
                none      12 610     0    12 110        12 110           -           -       1  40.0 ms     3 299   7.2 ms  85.2 ms  WRONG
                lock         500     0         0             0           3           2       1   2.01 s       400  72.4 ms   2.09 s  exact
                """.lines().toArray(String[]::new));
    }

    @Test
    void aStrategyWithoutAPromiseIsExactThisTime() {
        Count exact = Samples.count(500, 0, new long[0], Samples.NOTHING);
        Row row = Row.of(StrategyKind.DECREMENT, OPTIONS, exact, new Row.Ending(1, true, 0, false));
        assertThat(Table.verdict(row)).isEqualTo("exact this time");
        assertThat(Explanation.meaning(row)).contains("sold every item once, this time");
    }

    @Test
    void explanationSaysWhatWasSeen() {
        assertThat(Explanation.of(OPTIONS, List.of(NONE, LOCK)))
                .anyMatch(line -> line.contains("500 items, 4 processes with 8 sellers each"))
                .anyMatch(line -> line.startsWith("orders/s: of the first 250 orders"))
                .anyMatch(line -> line.startsWith("none") && line.contains("sold 12 110 items that did not exist"))
                .anyMatch(line -> line.startsWith("lock") && line.contains("without an order was 2.01 s"))
                .noneMatch(line -> line.contains("cret"));
    }
}
