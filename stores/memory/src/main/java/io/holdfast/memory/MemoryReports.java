package io.holdfast.memory;

import io.holdfast.LatchCount;
import io.holdfast.LockReport;
import io.holdfast.PermitHolder;
import io.holdfast.SemaphoreReport;
import io.holdfast.spi.PermitReport;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.support.TokenUnits;
import io.holdfast.support.record.Holder;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import io.holdfast.support.record.Place;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * The reports to a client. They ask the client of each holder for details, which answers at once. Guarded by the server's
 * mutex.
 */
record MemoryReports(MemoryStore requester, MemoryServer server) {

    LockReport lock(MemoryKey key, LockRecord record, Moment moment) {
        List<LockReport.Holder> holders = record.holders().all().stream()
                .map(holder -> holder(key, holder, moment))
                .toList();
        List<LockReport.Waiter> waiters =
                record.queue().all().stream().map(this::waiter).toList();
        return new LockReport(
                requester.name(key),
                holders,
                waiters,
                TokenUnits.lastOf(record.tokens().last()));
    }

    Optional<LockReport> lockInUse(MemoryKey key, LockRecord record, Moment moment) {
        return record.isInUse() ? Optional.of(lock(key, record, moment)) : Optional.empty();
    }

    private LockReport.Holder holder(MemoryKey key, Holder holder, Moment moment) {
        String client = holder.tenure().clientId();
        return HoldDescription.holder(
                server.identity(client),
                holder.mode(),
                server.connected(client).flatMap(store -> store.describeHold(key, holder.tenure())),
                remaining(holder, moment));
    }

    private static Duration remaining(Holder holder, Moment moment) {
        return Duration.of(holder.expires() - moment.now(), ChronoUnit.MICROS);
    }

    private LockReport.Waiter waiter(Place place) {
        return new LockReport.Waiter(
                server.identity(place.tenure().clientId()), Instant.EPOCH.plus(place.arrival(), ChronoUnit.MICROS));
    }

    PermitReport permits(LockRecord record, Moment moment) {
        List<PermitHolder> holders = record.holders().all().stream()
                .map(holder -> new PermitHolder(
                        holder.tenure().toString(),
                        holder.permits(),
                        server.identity(holder.tenure().clientId()),
                        remaining(holder, moment)))
                .toList();
        return new PermitReport(record.limit(), holders, record.queue().size());
    }

    Optional<SemaphoreReport> semaphore(MemoryKey key, LockRecord record, Moment moment) {
        return record.limit().isEmpty()
                ? Optional.empty()
                : Optional.of(permits(record, moment).of(requester.name(key)));
    }

    Optional<LatchCount> latch(MemoryKey key, LockRecord record, Moment moment) {
        return record.latch()
                .filter(latch -> latch.isSet(moment.now()))
                .map(latch -> new LatchCount(requester.name(key), latch.count()));
    }
}
