package io.holdfast.cli.demo;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/** The figures for a program: JSON. */
final class Report {

    private Report() {}

    static String of(DemoOptions options, List<Row> rows) {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("store", options.shownStore());
        report.put("processes", options.processes());
        report.put("threads", options.threads());
        report.put("stock", options.stock());
        report.put("rows", rows.stream().map(Report::row).toList());
        return json(report) + "\n";
    }

    private static Map<String, Object> row(Row row) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("strategy", row.strategy().label());
        fields.put("orders", row.orders());
        fields.put("left", row.left());
        fields.put("oversold", row.oversold());
        fields.put("lostUpdates", row.lostUpdates());
        fields.put("killed", row.killed());
        fields.put("stalledMillis", row.stalledMillis());
        fields.put("workMillis", decimal(row.workMillis()));
        fields.put("perSecond", decimal(row.perSecond()));
        fields.put("p50Micros", row.p50Micros());
        fields.put("p99Micros", row.p99Micros());
        fields.put("exact", row.exact());
        return fields;
    }

    private static String json(Object value) {
        if (value instanceof Map<?, ?> fields) {
            StringJoiner object = new StringJoiner(", ", "{", "}");
            fields.forEach((key, field) -> object.add(quoted(String.valueOf(key)) + ": " + json(field)));
            return object.toString();
        }
        if (value instanceof List<?> items) {
            StringJoiner array = new StringJoiner(",\n  ", "[\n  ", "\n]");
            items.forEach(item -> array.add(json(item)));
            return array.toString();
        }
        return value instanceof String text ? quoted(text) : value.toString();
    }

    private static BigDecimal decimal(double value) {
        BigDecimal decimal = BigDecimal.valueOf(value).stripTrailingZeros();
        return decimal.scale() < 0 ? decimal.setScale(0) : decimal;
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars().forEach(c -> {
            if (c < ' ' || c == '"' || c == '\\') {
                quoted.append(String.format("\\u%04x", c));
            } else {
                quoted.append((char) c);
            }
        });
        return quoted.append('"').toString();
    }
}
