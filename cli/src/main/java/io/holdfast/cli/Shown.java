package io.holdfast.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.jr.ob.JSON;
import io.holdfast.LockReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Reports on locks, as people and as programs read them. */
final class Shown {

    private static final List<String> HEADINGS = List.of("LOCK", "HOLDER", "TOKEN", "LEASE", "WAITING");
    private static final String UNKNOWN = "-";

    private Shown() {}

    // ---- for people

    static List<String> table(List<LockReport> reports) {
        List<List<String>> rows = new ArrayList<>(List.of(HEADINGS));
        reports.stream().map(Shown::row).forEach(rows::add);
        int[] widths = IntStream.range(0, HEADINGS.size())
                .map(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toArray();
        return rows.stream().map(row -> line(row, widths)).toList();
    }

    private static String line(List<String> row, int[] widths) {
        return IntStream.range(0, widths.length)
                .mapToObj(column -> row.get(column)
                        + " ".repeat(widths[column] - row.get(column).length()))
                .collect(Collectors.joining("  "))
                .stripTrailing();
    }

    private static List<String> row(LockReport report) {
        Optional<LockReport.Holder> holder = report.holder();
        return List.of(
                Printable.text(report.name()),
                holder.map(h -> name(h.client()) + (h.isKept() ? " (kept)" : ""))
                        .orElse("(free)"),
                holder.map(h -> number(h.token())).orElse(UNKNOWN),
                holder.map(h -> time(h.remainingLease())).orElse(UNKNOWN),
                Integer.toString(report.waiters().size()));
    }

    static List<String> details(LockReport report) {
        List<String> lines = new ArrayList<>();
        lines.add("lock        " + Printable.text(report.name()));
        lines.add("held by     " + report.holder().map(h -> client(h.client())).orElse("nobody: it is free"));
        report.holder().ifPresent(holder -> {
            lines.add("owner       " + holder.owner().map(Printable::text).orElse("did not tell"));
            lines.add("since       " + holder.since().map(Object::toString).orElse("did not tell"));
            lines.add("token       " + number(holder.token()));
            lines.add("lease ends  in " + time(holder.remainingLease()));
        });
        lines.add("last token  " + number(report.lastToken()));
        lines.add("waiting     " + report.waiters().size());
        report.waiters().forEach(w -> lines.add("            " + client(w.client()) + ", since " + w.since()));
        return lines;
    }

    static String client(LockReport.Client client) {
        return Printable.text(client.toString());
    }

    private static String name(LockReport.Client client) {
        return Printable.text(client.name().orElse(client.id()));
    }

    private static String number(OptionalLong value) {
        return value.isPresent() ? Long.toString(value.getAsLong()) : UNKNOWN;
    }

    private static String time(Duration value) {
        return String.format("%.1f s", value.toMillis() / 1000.0);
    }

    // ---- for programs

    /** Tokens are texts, since many readers of JSON round so large a number. */
    static String json(Object value) {
        JsonFactory ascii =
                JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();
        try {
            return JSON.builder(ascii)
                    .enable(JSON.Feature.PRETTY_PRINT_OUTPUT, JSON.Feature.WRITE_NULL_PROPERTIES)
                    .build()
                    .asString(value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Map<String, @Nullable Object> asMap(LockReport report) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("lock", report.name());
        map.put("holder", report.holder().map(Shown::asMap).orElse(null));
        map.put("waiters", report.waiters().stream().map(Shown::asMap).toList());
        map.put("lastToken", text(report.lastToken()));
        return map;
    }

    private static Map<String, @Nullable Object> asMap(LockReport.Holder holder) {
        Map<String, @Nullable Object> map = asMap(holder.client());
        map.put("owner", holder.owner().orElse(null));
        map.put("since", holder.since().map(Object::toString).orElse(null));
        map.put("token", text(holder.token()));
        map.put("remainingLeaseMillis", holder.remainingLease().toMillis());
        return map;
    }

    private static Map<String, @Nullable Object> asMap(LockReport.Waiter waiter) {
        Map<String, @Nullable Object> map = asMap(waiter.client());
        map.put("since", waiter.since().toString());
        return map;
    }

    private static Map<String, @Nullable Object> asMap(LockReport.Client client) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("client", client.id());
        map.put("name", client.name().orElse(null));
        map.put("host", client.host().orElse(null));
        map.put("pid", client.pid().isPresent() ? client.pid().getAsLong() : null);
        return map;
    }

    private static @Nullable String text(OptionalLong token) {
        return token.isPresent() ? Long.toString(token.getAsLong()) : null;
    }
}
