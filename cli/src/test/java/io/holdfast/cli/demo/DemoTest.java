package io.holdfast.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.holdfast.examples.flashsale.StrategyKind;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Small sales by real worker JVMs on a real Redis. */
class DemoTest {

    private static final int STOCK = 160;

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Tag("ci")
    @Test
    void exactWherePromisedThoughOneSellerDiesAndOneIsSlow() throws Exception {
        List<Map<String, Object>> rows = rows(StrategyKind.NONE, StrategyKind.SETNX_TTL, StrategyKind.LOCK);
        assertThat((int) rows.get(0).get("oversold")).isPositive();
        assertThat((int) rows.get(0).get("overlapMillis")).isPositive();
        assertThat((int) rows.get(1).get("oversold")).isPositive();
        assertExact(rows.get(2));
        assertThat(rows.get(2))
                .satisfiesAnyOf(
                        row -> assertThat(row).containsEntry("overlapMillis", 0),
                        row -> assertThat((int) row.get("lostHolds")).isPositive());
        assertThat((int) rows.get(2).get("stalledMillis"))
                .as("a lease, less the third after which it is renewed")
                .isGreaterThan(1_300);
        assertThat(Files.readString(folder.resolve("out.html"))).contains("<td>lock</td>");
    }

    @Test
    @Tag("ci")
    void exactWithSharesOfTheStock() throws Exception {
        List<Map<String, Object>> rows = rows(StrategyKind.SEGMENTED, StrategyKind.ALLOTMENT);
        assertThat(rows).allSatisfy(DemoTest::assertExact);
        assertThat(Files.readString(folder.resolve("out.html"))).contains("<td>allotment</td>");
    }

    private static void assertExact(Map<String, Object> row) {
        assertThat(row).containsEntry("orders", STOCK).containsEntry("left", 0).containsEntry("exact", true);
    }

    /** The results of a sale with each strategy. */
    private List<Map<String, Object>> rows(StrategyKind... strategies) throws Exception {
        assertThat(sell(List.of(strategies))).as(err.toString()).isTrue();
        List<Map<String, Object>> rows = rows();
        assertThat(rows).hasSize(strategies.length).allSatisfy(row -> {
            assertThat(row).containsEntry("killed", 1).containsEntry("slow", 1);
            assertThat((double) row.get("perSecond")).isPositive();
        });
        return rows;
    }

    private boolean sell(List<StrategyKind> strategies) throws Exception {
        DemoOptions options = new DemoOptions(
                2,
                4,
                STOCK,
                Duration.ofMillis(5),
                DemoOptions.EMBEDDED,
                strategies,
                Optional.of(folder.resolve("out.json")),
                Optional.of(folder.resolve("out.html")));
        return new Demo(options, new Progress(new PrintWriter(err), false)).run(new PrintWriter(out));
    }

    private List<Map<String, Object>> rows() throws Exception {
        List<Map<String, Object>> rows = new ArrayList<>();
        Map<String, Object> report = JSON.std.mapFrom(Files.readString(folder.resolve("out.json")));
        for (Object row : (List<?>) report.get("rows")) {
            rows.add(JSON.std.mapFrom(JSON.std.asString(row)));
        }
        return rows;
    }
}
