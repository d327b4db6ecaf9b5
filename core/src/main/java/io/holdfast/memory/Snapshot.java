package io.holdfast.memory;

import io.holdfast.LockReport;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A name as the server saw it at one moment. The holder's client is asked when the report is made, outside the server's
 * mutex: it may be about to call the server itself.
 *
 * @param holderClient the connection of the holder's client; null if there is none
 */
record Snapshot(
        String key,
        Optional<TenureId> tenure,
        Duration remaining,
        List<LockReport.Waiter> waiters,
        OptionalLong lastToken,
        @Nullable MemoryStore holderClient) {

    static final Snapshot NOTHING =
            new Snapshot("", Optional.empty(), Duration.ZERO, List.of(), OptionalLong.empty(), null);

    LockReport report(String name) {
        return new LockReport(name, holder(), waiters, lastToken);
    }

    Optional<LockReport.Holder> holder() {
        return tenure.map(this::describe);
    }

    private LockReport.Holder describe(TenureId holder) {
        if (holderClient == null) {
            return holder(LockReport.Client.unknown(holder.clientId()), Optional.empty());
        }
        return holder(holderClient.client(), holderClient.describeHold(key, holder));
    }

    private LockReport.Holder holder(LockReport.Client client, Optional<HoldDescription> told) {
        return new LockReport.Holder(
                client,
                told.map(HoldDescription::owner),
                told.map(HoldDescription::since),
                told.map(hold -> OptionalLong.of(hold.token())).orElse(OptionalLong.empty()),
                remaining);
    }
}
