package io.holdfast.support.session;

import static io.holdfast.spi.Names.quoted;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.support.Stages;
import io.holdfast.support.record.Holder;
import io.holdfast.support.record.Holders;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import io.holdfast.support.record.Notice;
import io.holdfast.support.record.Party;
import io.holdfast.support.record.RecordText;
import io.holdfast.support.store.Contention;
import io.holdfast.support.store.Found;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKeys;
import io.holdfast.support.store.RecordUpdate;
import io.holdfast.support.store.Records;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The records of a store with sessions, as one client accesses them.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>This client has one round of a name under way (see {@link NameQueue}). A round decides all updates that have arrived, one
 *       after the other, and writes the result once. So the threads of a client never compete with each other at the server.
 *   <li>A decision that is not written, such as a refusal, is made on a record that was read in that round. A decision that is
 *       written may be made on an earlier picture, because the write fails if the record has changed since.
 *   <li>The holds and positions of ended sessions are removed before each decision. A session counts as ended only if the servers
 *       have said so, which no later answer can take back. A session that counts as alive may have ended. So a write that gives
 *       something to a session also requires that it is alive.
 *   <li>A round uses one session of this client for reading, deciding and writing.
 *   <li>The clients that compete for a record pause before they try again; those that hold the name for a shorter time than the
 *       others (see {@link Contention}).
 *   <li>An update fails before its caller gives up. A race that was lost has certainly written nothing, so the caller may ask again.
 * </ol>
 */
final class SessionRecords implements Records {

    /** The run of every server, because the servers never forget what they have acknowledged. */
    static final long RUN = 1;

    private final StoreConfig config;
    private final LocalClock clock;
    private final RecordKeys keys;
    private final Sessions sessions;
    private final PictureReader reader;
    private final Platform.Timer timer;
    private final Map<RecordKey, NameQueue> queues = new ConcurrentHashMap<>();

    SessionRecords(
            StoreConfig config, LocalClock clock, Sessions sessions, PictureReader reader, Platform.Timer timer) {
        this.config = config;
        this.clock = clock;
        this.sessions = sessions;
        this.reader = reader;
        this.timer = timer;
        keys = new RecordKeys(config.keyPrefix());
    }

    @Override
    public <R> CompletionStage<R> update(RecordKey key, RecordUpdate<R> update) {
        Pending<R> pending = new Pending<>(update, config.platform().nanoTime());
        boolean added = false;
        while (!added) {
            added = queues.computeIfAbsent(key, NameQueue::new).add(pending, this);
        }
        return pending.result.minimalCompletionStage();
    }

    @Override
    public <R> Map<RecordKey, CompletionStage<R>> updateAll(Map<RecordKey, RecordUpdate<R>> updates) {
        return updates.entrySet().stream()
                .collect(toMap(Map.Entry::getKey, entry -> update(entry.getKey(), entry.getValue())));
    }

    /** Forgets a queue that is empty. */
    void remove(NameQueue queue) {
        queues.remove(queue.key(), queue);
    }

    // ---- one round

    /** Decides updates, writes the result, and completes them. The stage completes with the round, and never fails. */
    CompletionStage<Void> round(NameQueue queue, List<Pending<?>> all) {
        List<Pending<?>> batch = new ArrayList<>(all);
        removeLate(queue.key(), batch, 0);
        if (batch.isEmpty()) {
            return CompletableFuture.completedStage(null);
        }
        return sessions.present()
                .thenCompose(session -> attempt(
                        new Round(session, queue, batch, new HashSet<>(), Set.of(), 0), recent(session, queue.key())))
                .handle((done, error) -> {
                    Throwable cause = error == null ? null : Stages.cause(error);
                    boolean refused = cause instanceof StoreException known && known.effect() == Effect.REFUSED;
                    return refused && batch.size() > 1 ? oneByOne(queue, batch) : finish(batch, cause);
                })
                .thenCompose(finished -> finished);
    }

    private static CompletionStage<Void> finish(List<Pending<?>> batch, @Nullable Throwable cause) {
        batch.forEach(each -> each.complete(cause));
        return CompletableFuture.completedStage(null);
    }

    /** Decides updates of which one makes the record too large. It must not make the others fail. */
    private CompletionStage<Void> oneByOne(NameQueue queue, List<Pending<?>> batch) {
        CompletionStage<Void> last = CompletableFuture.completedStage(null);
        for (Pending<?> each : batch) {
            last = last.thenCompose(done -> round(queue, List.of(each)));
        }
        return last;
    }

    /**
     * One round of a name.
     *
     * @param batch the updates, which changes when the round begins again
     * @param asked the sessions that were asked for
     * @param suspected the sessions of which one may have ended since, so that the last write did nothing
     * @param races how often another client was faster
     */
    private record Round(
            Session session,
            NameQueue queue,
            List<Pending<?>> batch,
            Set<String> asked,
            Set<String> suspected,
            int races) {

        RecordKey key() {
            return queue.key();
        }

        Round next(Set<String> notified) {
            asked.removeAll(notified);
            return new Round(session, queue, batch, asked, notified, races + 1);
        }

        boolean yields() {
            return batch.stream().allMatch(Pending::yields);
        }
    }

    /** Fails the updates of a round whose time is up, and removes them. */
    private void removeLate(RecordKey key, List<Pending<?>> batch, int races) {
        long now = config.platform().nanoTime();
        batch.removeIf(each -> {
            boolean late = each.waited(now) >= Contention.limitNanos(config);
            if (late) {
                each.complete(Contention.failure(quoted(keys.name(key)), races));
            }
            return late;
        });
    }

    /**
     * Returns the last picture of a name, if it is not too old for a guarded write. A version is of no use in a later session: the
     * record may have been deleted since, and its versions may be counted anew (ABA).
     */
    private Optional<Picture> recent(Session session, RecordKey key) {
        long now = config.platform().nanoTime();
        return reader.pictures()
                .of(key)
                .filter(picture -> picture.session().equals(session.id()))
                .filter(picture ->
                        now - picture.seen() < config.commandTimeout().toNanos());
    }

    private CompletionStage<Void> attempt(Round round, Optional<Picture> known) {
        return known.isPresent()
                ? decide(round, known.get(), false)
                : reader.read(round.session(), round.key(), round.suspected(), round.asked())
                        .thenCompose(picture -> decide(round, picture, true));
    }

    private Moment moment(Picture picture, Session session, long nanos) {
        return picture.moment(nanos, clock.micros(nanos), config.platform().wallMillis(), session.id());
    }

    private CompletionStage<Void> decide(Round round, Picture picture, boolean justRead) {
        long decided = config.platform().nanoTime();
        Moment moment = moment(picture, round.session(), decided);
        LockRecord before = reader.living(picture);
        LockRecord after = picture.withoutWatchedLeases(before, moment, decided);
        if (justRead && round.races() > 0) {
            answerUnwritten(round, after, moment, decided);
        }
        List<Notice> notices = new ArrayList<>();
        for (Pending<?> each : round.batch()) {
            after = each.decide(after, moment, notices);
        }
        boolean writes = !after.equals(before);
        if (!justRead && (!writes || joinsQueue(round.session(), before, after))) {
            return attempt(round, Optional.empty());
        }
        List<Notice> foreign = notices.stream()
                .filter(notice -> !isOwn(round.session(), notice.to()))
                // the client of a detached hold is closed
                .filter(notice -> notice.to().session().isPresent())
                .map(notice -> SessionSignals.relative(notice, moment))
                // several requests of the batch may notify the same holder
                .distinct()
                .toList();
        CompletionStage<OptionalLong> written = writes
                ? write(round, picture, before, after.writtenAt(moment.now()), foreign)
                : send(round, picture, foreign);
        Set<String> notified = foreign.stream()
                .flatMap(notice -> notice.to().session().stream())
                .collect(toSet());
        return written.thenCompose(
                result -> result.isPresent() ? settle(round, notices, moment, decided) : again(round, notified));
    }

    /** Answers the updates that lose too many races, as far as that needs no write, and removes them. */
    private void answerUnwritten(Round round, LockRecord read, Moment moment, long now) {
        round.batch()
                .removeIf(each -> Contention.isCrowded(config, round.races(), each.waited(now))
                        && each.completeUnwritten(read, moment));
    }

    /**
     * Returns {@code true} if this client waits after the decision, and held nothing before it. Then others use the name, so an
     * earlier picture has probably changed, and a write on it would fail. A client that holds the name is told who else comes.
     */
    private static boolean joinsQueue(Session session, LockRecord before, LockRecord after) {
        return after.queue().all().stream()
                        .anyMatch(place -> isOwn(session, place.claimant().party()))
                && before.holders().all().stream()
                        .noneMatch(holder -> isOwn(session, holder.claimant().party()));
    }

    private CompletionStage<OptionalLong> write(
            Round round, Picture picture, LockRecord before, LockRecord after, List<Notice> foreign) {
        String text = RecordText.encode(keys.name(round.key()), before, after);
        return round.session()
                .write(round.key(), picture.version(), text, foreign)
                .thenApply(result -> {
                    if (result.isPresent()) {
                        var unused = reader.pictures()
                                .note(
                                        round.key(),
                                        Picture.of(
                                                result.getAsLong(),
                                                after,
                                                round.session().id(),
                                                config.platform().nanoTime()));
                    }
                    return result;
                });
    }

    private static CompletionStage<OptionalLong> send(Round round, Picture picture, List<Notice> foreign) {
        return foreign.isEmpty()
                ? CompletableFuture.completedStage(OptionalLong.of(picture.version()))
                : round.session().send(round.key(), picture.version(), foreign);
    }

    /** Delivers the notices to this client itself. */
    private CompletionStage<Void> settle(Round round, List<Notice> notices, Moment moment, long decided) {
        notices.stream()
                .filter(notice -> isOwn(round.session(), notice.to()))
                .map(notice -> SessionSignals.relative(notice, moment))
                .forEach(notice -> sessions.deliver(notice.named(keys.name(round.key())), decided));
        return CompletableFuture.completedStage(null);
    }

    /**
     * Begins a round again, because another client was faster, or a receiver of a notice has ended. Updates that have arrived
     * meanwhile join it.
     *
     * @param notified the receivers
     */
    private CompletionStage<Void> again(Round round, Set<String> notified) {
        Round next = round.next(notified);
        removeLate(next.key(), next.batch(), next.races());
        next.batch().addAll(next.queue().join());
        if (next.batch().isEmpty()) {
            return CompletableFuture.completedStage(null);
        }
        long pause = Contention.pauseNanos(config.platform(), next.races(), next.yields());
        return paused(pause).thenCompose(done -> attempt(next, Optional.empty()));
    }

    private CompletionStage<Void> paused(long nanos) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        if (nanos == 0) {
            over.complete(null);
        } else {
            timer.schedule(nanos, () -> over.complete(null));
        }
        return over;
    }

    private static boolean isOwn(Session session, Party party) {
        return party.session().filter(session.id()::equals).isPresent();
    }

    // ---- reports

    @Override
    public CompletionStage<Found> read(RecordKey key) {
        return sessions.present()
                .thenCompose(session -> reader.read(session, key).thenApply(picture -> found(key, picture, session)));
    }

    @Override
    public CompletionStage<List<Found>> list(RecordKey prefix) {
        return sessions.present()
                .thenCompose(session -> reader.list(session, prefix)
                        .thenApply(pictures -> pictures.entrySet().stream()
                                .map(entry -> found(entry.getKey(), entry.getValue(), session))
                                .toList()));
    }

    /** Returns a record for people, in which no lease is without an end. */
    private Found found(RecordKey key, Picture picture, Session session) {
        long now = config.platform().nanoTime();
        Moment moment = moment(picture, session, now);
        LockRecord alive = picture.withoutWatchedLeases(reader.living(picture), moment, now);
        Holders holders = new Holders(alive.holders().all().stream()
                .map(holder -> holder.expires() == LockRecord.NEVER
                        ? holder.expiringAt(shown(holder, moment, session))
                        : holder)
                .toList());
        return new Found(key, alive.with(holders), moment);
    }

    private static long shown(Holder holder, Moment moment, Session session) {
        boolean kept = holder.claimant().session().isEmpty();
        return moment.now()
                + (kept ? holder.keptUntil() - moment.wall() : session.timeout().toNanos() / 1_000);
    }
}
