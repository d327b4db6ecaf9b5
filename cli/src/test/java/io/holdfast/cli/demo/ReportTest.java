package io.holdfast.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.examples.flashsale.StrategyKind;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReportTest {

    private static final DemoOptions OPTIONS = new DemoOptions(
            4,
            8,
            500,
            Duration.ofMillis(2),
            "redis://user:se\"cret@host:6379/1",
            List.of(StrategyKind.NONE, StrategyKind.LOCK),
            Optional.empty());
    private static final Row NONE =
            new Row(StrategyKind.NONE, 12_610, 0, 12_110, 12_110, 0, 40, 0.5, 3298.5, 7235, 85_195, false, false);
    private static final Row LOCK =
            new Row(StrategyKind.LOCK, 500, 0, 0, 0, 1, 2011, 2, 400, 72_350, 2_085_195, true, false);

    @Test
    void jsonHasExactlyTheseFields() {
        assertThat(Report.of(OPTIONS, List.of(NONE, LOCK))).isEqualTo("""
                {"store": "redis://host:6379/1", "processes": 4, "threads": 8, "stock": 500, "rows": [
                  {"strategy": "none", "orders": 12610, "left": 0, "oversold": 12110, "lostUpdates": 12110, \
                "killed": 0, "stalledMillis": 40, "workMillis": 0.5, "perSecond": 3298.5, "p50Micros": 7235, \
                "p99Micros": 85195, "exact": false},
                  {"strategy": "lock", "orders": 500, "left": 0, "oversold": 0, "lostUpdates": 0, \
                "killed": 1, "stalledMillis": 2011, "workMillis": 2, "perSecond": 400, "p50Micros": 72350, \
                "p99Micros": 2085195, "exact": true}
                ]}
                """);
    }

    @Test
    void tableIsAligned() {
        StringWriter out = new StringWriter();
        Table.print(List.of(NONE, LOCK), new PrintWriter(out, true));
        assertThat(out.toString().lines()).containsExactly("""
                strategy  orders  left  oversold  lost updates  killed  stalled  orders/s      p50      p99
                none      12 610     0    12 110        12 110       0  40.0 ms     3 299   7.2 ms  85.2 ms  WRONG
                lock         500     0         0             0       1   2.01 s       400  72.4 ms   2.09 s  exact
                """.lines().toArray(String[]::new));
    }

    @Test
    void explanationSaysWhatWasSeen() {
        assertThat(Explanation.of(OPTIONS, List.of(NONE, LOCK)))
                .anyMatch(line -> line.contains("500 items, 4 processes with 8 sellers each"))
                .anyMatch(line -> line.startsWith("none") && line.contains("sold 12 110 items that were not there"))
                .anyMatch(line -> line.startsWith("lock") && line.contains("stood still for 2.01 s"))
                .noneMatch(line -> line.contains("cret"));
    }
}
