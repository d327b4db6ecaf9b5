package io.holdfast.support.store;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.CounterStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.support.RenewalReplies;
import io.holdfast.support.Stages;
import io.holdfast.support.record.Decider;
import io.holdfast.support.record.Holder;
import io.holdfast.support.record.UnreadableRecordException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A store whose operations are {@linkplain Decider decisions} on {@linkplain Records records}. Subclasses add what depends on the
 * server: its capabilities, its clock, the proof that signals arrive, and the end.
 */
public abstract class RecordStore implements LockStore {

    private final RecordKeys keys;
    private final Decider decider;
    private final Records records;
    private final RecordReports reports;
    private final CounterStore counters;

    /** Creates the store of one client. */
    protected RecordStore(StoreConfig config, Decider decider, Records records, Directory directory) {
        this.keys = new RecordKeys(config.keyPrefix());
        this.decider = decider;
        this.records = records;
        reports = new RecordReports(keys, directory);
        counters = new RecordCounters(config.client().id(), keys, decider, records, reports);
    }

    @Override
    public CounterStore counters() {
        return counters;
    }

    @Override
    public CompletionStage<Acquire.Reply> acquire(Acquire request) {
        return records.update(keys.of(request.name(), request.share().mode()), new AcquireUpdate(decider, request));
    }

    @Override
    public CompletionStage<Release.Reply> release(Release request) {
        return records.update(keys.of(request.name(), request.mode()), new ReleaseUpdate(decider, request));
    }

    // ---- renewals

    /** Renews each tenure separately. The tenures of one name, such as several permits, are renewed by one update. */
    @Override
    public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
        Map<RecordKey, List<Renew>> byKey = batch.stream().collect(groupingBy(this::key, LinkedHashMap::new, toList()));
        Map<RecordKey, RecordUpdate<List<Renew.Reply>>> updates = new LinkedHashMap<>();
        byKey.forEach((key, requests) -> updates.put(key, new RenewUpdate(decider, requests)));
        Map<RecordKey, CompletionStage<List<Renew.Reply>>> answers = records.updateAll(updates);
        List<CompletionStage<Renew.Reply>> replies = new ArrayList<>();
        for (Renew request : batch) {
            int index = requireNonNull(byKey.get(key(request))).indexOf(request);
            replies.add(requireNonNull(answers.get(key(request)))
                    .handle((all, error) -> error == null ? all.get(index) : failed(request, error)));
        }
        return Stages.all(replies.stream()).thenApply(RecordStore::requireAny);
    }

    /**
     * Returns the reply to a renewal that has failed. A refusal of the server, such as that of a right that is missing for a moment,
     * says nothing about the hold.
     */
    private static Renew.Reply failed(Renew request, Throwable error) {
        Throwable cause = Stages.cause(error);
        boolean ofServer = cause instanceof StoreException known
                && known.effect() == Effect.REFUSED
                && !UnreadableRecordException.hasRefused(known);
        return RenewalReplies.failed(
                request,
                ofServer ? new StoreException(Effect.NOT_APPLIED, cause.getMessage() + "", cause.getCause()) : cause);
    }

    /** Throws if all renewals have failed, and none because of its own record. */
    private static List<Renew.Reply> requireAny(List<Renew.Reply> replies) {
        List<StoreException> failures = replies.stream()
                .filter(Renew.Failed.class::isInstance)
                .map(reply -> ((Renew.Failed) reply).cause())
                .filter(cause -> cause.effect() != Effect.REFUSED)
                .toList();
        if (!failures.isEmpty() && failures.size() == replies.size()) {
            throw failures.get(0);
        }
        return replies;
    }

    private RecordKey key(Renew request) {
        return keys.of(request.name(), request.mode());
    }

    // ---- for people

    @Override
    public CompletionStage<Optional<LockReport.Holder>> forceRelease(String name) {
        // the holder describes its hold before it is notified of the loss
        return askHolder(name).thenCompose(this::revoke);
    }

    /**
     * A name before it is forcibly released.
     *
     * @param name the name
     * @param found its record
     * @param holder what is known about its first holder
     */
    protected record Described(String name, Found found, Optional<LockReport.Holder> holder) {}

    /** Asks the first holder of a name for the details of its hold. */
    protected final CompletionStage<Described> askHolder(String name) {
        return records.read(keys.lock(name))
                .thenCompose(found -> holder(found).thenApply(holder -> new Described(name, found, holder)));
    }

    /** Forcibly releases a name, and returns its former holder. */
    protected final CompletionStage<Optional<LockReport.Holder>> revoke(Described before) {
        return records.update(
                        keys.lock(before.name()),
                        (record, moment) -> decider.forceRelease(record, before.name(), moment))
                .thenCompose(released -> report(before.found(), before.holder(), released));
    }

    private CompletionStage<Optional<LockReport.Holder>> holder(Found found) {
        return found.present().holders().all().stream()
                .findFirst()
                .map(holder -> reports.holder(found, holder).thenApply(Optional::of))
                .orElseGet(() -> CompletableFuture.completedStage(Optional.empty()));
    }

    /** Returns the report of the first released holder, which may have acquired the name since it was read. */
    private CompletionStage<Optional<LockReport.Holder>> report(
            Found before, Optional<LockReport.Holder> described, List<Holder> released) {
        Optional<Holder> first = released.stream().findFirst();
        boolean same = before.present().holders().all().stream()
                .findFirst()
                .map(Holder::tenure)
                .equals(first.map(Holder::tenure));
        return same
                ? CompletableFuture.completedStage(described)
                : first.map(holder -> reports.holder(before, holder).thenApply(Optional::of))
                        .orElseGet(() -> CompletableFuture.completedStage(Optional.empty()));
    }

    @Override
    public CompletionStage<LockReport> inspect(String name) {
        return records.read(keys.lock(name)).thenCompose(reports::lock);
    }

    @Override
    public CompletionStage<List<LockReport>> list(String prefix) {
        return records.list(keys.lock(prefix)).thenCompose(reports::locks);
    }
}
