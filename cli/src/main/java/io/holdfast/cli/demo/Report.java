package io.holdfast.cli.demo;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The figures for a program, in JSON. */
final class Report {

    private static final JSON WRITER = JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT);

    private Report() {}

    static String of(DemoOptions options, List<Row> rows) throws IOException {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("store", options.shownStore());
        report.put("processes", options.processes());
        report.put("threads", options.threads());
        report.put("stock", options.stock());
        report.put("undisturbedOrders", options.haltAfter());
        report.put("rows", rows.stream().map(Report::row).toList());
        return WRITER.asString(report) + "\n";
    }

    private static Map<String, Object> row(Row row) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("strategy", row.strategy().label());
        fields.put("orders", row.orders());
        fields.put("left", row.left());
        fields.put("oversold", row.oversold());
        fields.put("lostUpdates", row.lostUpdates());
        fields.put("lostHolds", row.lostHolds());
        fields.put("fencedOff", row.fencedOff());
        fields.put("killed", row.killed());
        fields.put("slow", row.slow());
        fields.put("stalledMillis", row.stalledMillis());
        fields.put("overlapMillis", row.overlapMillis());
        fields.put("workMillis", row.workMillis());
        fields.put("perSecond", row.perSecond());
        fields.put("p50Micros", row.p50Micros());
        fields.put("p99Micros", row.p99Micros());
        fields.put("p999Micros", row.p999Micros());
        fields.put("exact", row.exact());
        return fields;
    }
}
