package io.holdfast.cli;

import static io.holdfast.spi.Names.printable;

import io.holdfast.LockReport;
import io.holdfast.spi.Names;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A lock, plain or read/write. */
record ShownLock(LockReport report) implements Shown {

    @Override
    public String name() {
        return report.name();
    }

    boolean isInUse() {
        return report.holder().isPresent() || !report.waiters().isEmpty();
    }

    @Override
    public List<String> row() {
        Optional<LockReport.Holder> first = report.holder();
        return List.of(
                printable(report.name()),
                first.map(ShownLock::kind).orElse("lock"),
                first.map(this::holders).orElse("(free)"),
                first.map(holder -> Texts.number(holder.fencingToken())).orElse(Texts.NONE),
                first.map(holder -> Texts.time(holder.remainingLease())).orElse(Texts.NONE),
                Integer.toString(report.waiters().size()));
    }

    private String holders(LockReport.Holder first) {
        return Texts.names(
                        report.holders().stream().map(LockReport.Holder::client).toList())
                + (first.isKept() ? " (lingering)" : "");
    }

    private static String kind(LockReport.Holder holder) {
        return switch (holder.mode()) {
            case LOCK -> "lock";
            case READ -> "read lock";
            case WRITE -> "write lock";
        };
    }

    @Override
    public List<String> details() {
        List<String> lines = new ArrayList<>();
        lines.add("lock        " + printable(report.name()));
        if (report.holders().isEmpty()) {
            lines.add("held by     - (free)");
        }
        report.holders().forEach(holder -> lines.addAll(details(holder)));
        lines.add("last token  " + Texts.number(report.lastToken()));
        lines.add("waiting     " + report.waiters().size());
        report.waiters().forEach(w -> lines.add("            " + Texts.client(w.client()) + ", since " + w.since()));
        return lines;
    }

    private static List<String> details(LockReport.Holder holder) {
        List<String> lines = new ArrayList<>();
        lines.add("held by     " + Texts.client(holder.client()));
        if (holder.mode() != LockReport.Mode.LOCK) {
            lines.add("mode        " + mode(holder));
        }
        lines.add("owner       " + holder.owner().map(Names::printable).orElse("unknown"));
        lines.add("since       " + holder.since().map(Object::toString).orElse("unknown"));
        holder.place().ifPresent(place -> lines.add("call site   " + printable(place)));
        lines.add("token       " + Texts.number(holder.fencingToken()));
        lines.add("lease ends  in " + Texts.time(holder.remainingLease()));
        return lines;
    }

    private static String mode(LockReport.Holder holder) {
        return holder.mode().name().toLowerCase(Locale.ROOT);
    }

    @Override
    public Map<String, @Nullable Object> asMap() {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("kind", "lock");
        map.put("name", report.name());
        map.put("holders", report.holders().stream().map(ShownLock::asMap).toList());
        map.put("waiters", report.waiters().stream().map(ShownLock::asMap).toList());
        map.put("lastToken", text(report.lastToken()));
        return map;
    }

    private static Map<String, @Nullable Object> asMap(LockReport.Holder holder) {
        Map<String, @Nullable Object> map = Texts.asMap(holder.client());
        map.put("mode", mode(holder));
        map.put("owner", holder.owner().orElse(null));
        map.put("since", holder.since().map(Object::toString).orElse(null));
        map.put("place", holder.place().orElse(null));
        map.put("token", text(holder.fencingToken()));
        map.put("remainingLeaseMillis", holder.remainingLease().toMillis());
        return map;
    }

    private static Map<String, @Nullable Object> asMap(LockReport.Waiter waiter) {
        Map<String, @Nullable Object> map = Texts.asMap(waiter.client());
        map.put("since", waiter.since().toString());
        return map;
    }

    private static @Nullable String text(OptionalLong token) {
        return token.isPresent() ? Long.toString(token.getAsLong()) : null;
    }
}
