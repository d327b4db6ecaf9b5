package io.holdfast.spring.boot;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.holdfast.LockReport;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The state of one name, as JSON. What is not known is absent. Tokens are texts, because they are too large for the numbers of
 * JavaScript.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LockView(
        String name,
        List<Holder> holders,
        List<Waiter> waiters,
        @Nullable String lastToken) {

    /** A holder. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Holder(
            String client,
            @Nullable String owner,
            String mode,
            @Nullable String since,
            @Nullable String place,
            @Nullable String token,
            long leaseMillis) {}

    /** A client that waits. */
    public record Waiter(String client, String since) {}

    static LockView of(LockReport report) {
        return new LockView(
                report.name(),
                report.holders().stream().map(LockView::holder).toList(),
                report.waiters().stream()
                        .map(waiter -> new Waiter(
                                waiter.client().toString(), waiter.since().toString()))
                        .toList(),
                text(report.lastToken()));
    }

    private static Holder holder(LockReport.Holder holder) {
        return new Holder(
                holder.client().toString(),
                holder.owner().orElse(null),
                holder.mode().name(),
                holder.since().map(Object::toString).orElse(null),
                holder.place().orElse(null),
                text(holder.fencingToken()),
                holder.remainingLease().toMillis());
    }

    private static @Nullable String text(OptionalLong number) {
        return number.isPresent() ? Long.toString(number.getAsLong()) : null;
    }
}
