package io.holdfast.support.store;

import static java.util.stream.Collectors.toSet;

import io.holdfast.LatchCount;
import io.holdfast.LockReport;
import io.holdfast.PermitHolder;
import io.holdfast.SemaphoreReport;
import io.holdfast.spi.PermitReport;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.support.Stages;
import io.holdfast.support.TokenUnits;
import io.holdfast.support.record.Claimant;
import io.holdfast.support.record.Holder;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Place;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** The reports about records, for people who look at a store. */
record RecordReports(RecordKeys keys, Directory directory) {

    /** The clients of the records in some reports. */
    private record Clients(Map<String, LockReport.Client> known) {

        LockReport.Client of(Claimant claimant) {
            String id = claimant.party().clientId();
            return known.getOrDefault(id, LockReport.Client.unknown(id));
        }
    }

    private CompletionStage<Clients> clients(List<Found> all) {
        Set<String> ids = all.stream()
                .map(Found::present)
                .flatMap(record -> Stream.concat(
                        record.holders().all().stream().map(Holder::claimant),
                        record.queue().all().stream().map(Place::claimant)))
                .map(claimant -> claimant.party().clientId())
                .collect(toSet());
        return clients(ids);
    }

    private CompletionStage<Clients> clients(Set<String> ids) {
        return directory.clients(ids).thenApply(Clients::new);
    }

    // ---- locks

    CompletionStage<LockReport> lock(Found found) {
        return clients(List.of(found)).thenCompose(clients -> lock(found, clients));
    }

    CompletionStage<List<LockReport>> locks(List<Found> all) {
        List<Found> used =
                all.stream().filter(found -> found.present().isInUse()).toList();
        return clients(used).thenCompose(clients -> Stages.all(used.stream().map(found -> lock(found, clients))));
    }

    private CompletionStage<LockReport> lock(Found found, Clients clients) {
        LockRecord record = found.present();
        List<LockReport.Waiter> waiters = record.queue().all().stream()
                .map(place -> new LockReport.Waiter(
                        clients.of(place.claimant()), Instant.EPOCH.plus(place.arrival(), ChronoUnit.MICROS)))
                .toList();
        return Stages.all(record.holders().all().stream().map(holder -> holder(found, holder, clients)))
                .thenApply(holders -> new LockReport(
                        keys.name(found.key()),
                        holders,
                        waiters,
                        TokenUnits.lastOf(record.tokens().last())));
    }

    /** Returns the report about one holder, which it describes itself. */
    CompletionStage<LockReport.Holder> holder(Found found, Holder holder) {
        return clients(Set.of(holder.tenure().clientId())).thenCompose(clients -> holder(found, holder, clients));
    }

    private CompletionStage<LockReport.Holder> holder(Found found, Holder holder, Clients clients) {
        return directory
                .describe(found.key(), holder.tenure())
                .thenApply(answer -> HoldDescription.holder(
                        clients.of(holder.claimant()),
                        holder.tenure().toString(),
                        holder.mode(),
                        answer,
                        remaining(found, holder)));
    }

    private static Duration remaining(Found found, Holder holder) {
        return Duration.of(holder.expires() - found.moment().now(), ChronoUnit.MICROS);
    }

    // ---- semaphores and latches

    CompletionStage<PermitReport> permits(Found found) {
        return clients(List.of(found)).thenApply(clients -> permits(found, clients));
    }

    CompletionStage<List<SemaphoreReport>> semaphores(List<Found> all) {
        List<Found> set =
                all.stream().filter(found -> found.record().limit().isPresent()).toList();
        return clients(set)
                .thenApply(clients -> set.stream()
                        .map(found -> permits(found, clients).of(keys.name(found.key())))
                        .toList());
    }

    private static PermitReport permits(Found found, Clients clients) {
        LockRecord record = found.present();
        List<PermitHolder> holders = record.holders().all().stream()
                .map(holder -> new PermitHolder(
                        holder.tenure().toString(),
                        holder.permits(),
                        clients.of(holder.claimant()),
                        remaining(found, holder)))
                .toList();
        return new PermitReport(record.limit(), holders, record.queue().size());
    }

    List<LatchCount> latches(List<Found> all) {
        return all.stream().flatMap(found -> latch(found).stream()).toList();
    }

    private Optional<LatchCount> latch(Found found) {
        return found.record()
                .latch()
                .filter(latch -> latch.isSet(found.moment().now()))
                .map(latch -> new LatchCount(keys.name(found.key()), latch.count()));
    }
}
