package io.holdfast.cli;

import static io.holdfast.spi.Names.printable;

import io.holdfast.PermitHolder;
import io.holdfast.SemaphoreReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A semaphore whose permits are set. */
record ShownSemaphore(SemaphoreReport report) implements Shown {

    @Override
    public String name() {
        return report.name();
    }

    @Override
    public List<String> row() {
        String holders = report.holders().isEmpty()
                ? ""
                : ", held by "
                        + Texts.names(report.holders().stream()
                                .map(PermitHolder::client)
                                .toList());
        return List.of(
                printable(report.name()),
                "semaphore",
                free() + holders,
                Texts.NONE,
                Texts.NONE,
                Integer.toString(report.waiting()));
    }

    private String free() {
        return report.free() + " of " + report.permits() + " free";
    }

    @Override
    public List<String> details() {
        List<String> lines = new ArrayList<>();
        lines.add("semaphore   " + printable(report.name()));
        lines.add("permits     " + free());
        report.holders()
                .forEach(holder -> lines.add("held by     " + Texts.client(holder.client()) + ": " + holder.count()
                        + ", permit " + printable(holder.id()) + ", lease ends in "
                        + Texts.time(holder.remainingLease())));
        lines.add("waiting     " + report.waiting());
        return lines;
    }

    @Override
    public Map<String, @Nullable Object> asMap() {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("kind", "semaphore");
        map.put("name", report.name());
        map.put("permits", report.permits());
        map.put("free", report.free());
        map.put("holders", report.holders().stream().map(ShownSemaphore::asMap).toList());
        map.put("waiting", report.waiting());
        return map;
    }

    private static Map<String, @Nullable Object> asMap(PermitHolder holder) {
        Map<String, @Nullable Object> map = Texts.asMap(holder.client());
        map.put("permit", holder.id());
        map.put("count", holder.count());
        map.put("remainingLeaseMillis", holder.remainingLease().toMillis());
        return map;
    }
}
