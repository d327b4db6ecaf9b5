package io.holdfast.support.session;

import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.ServerClock;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.support.RenewalReplies;
import io.holdfast.support.Stages;
import io.holdfast.support.record.Decider;
import io.holdfast.support.record.Decision;
import io.holdfast.support.record.Limits;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.UnreadableRecordException;
import io.holdfast.support.session.Holds.Hold;
import io.holdfast.support.store.Directory;
import io.holdfast.support.store.RecordKeys;
import io.holdfast.support.store.RecordStore;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store whose servers keep a session for each client.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>A hold with a lease that is at least as long as the session lasts as long as the session. Its renewal needs no request,
 *       because the session is confirmed for all holds together. A hold with a shorter lease ends with its lease, and each renewal
 *       is written.
 *   <li>A reply states for how long the servers certainly keep the hold: never longer than the session was confirmed.
 *   <li>A hold whose session has ended is lost. The record names the session, so a later session does not revive the hold. Its name
 *       stays taken if the hold is to be kept for a time.
 *   <li>This client ends a lease itself that was not renewed. If it is dead, its session ends, or other clients see that the lease
 *       has ended.
 *   <li>A few holds of each batch of renewals are verified at the servers, chosen at random. If one of them is not renewed, all
 *       are verified. So a record that somebody has deleted is noticed.
 *   <li>After messages may have been lost, and after a suspend, each hold is verified by its next renewal.
 *   <li>While the session is in doubt, nothing is granted or renewed. Each request asks the servers for the session first.
 * </ol>
 */
public final class SessionStore extends RecordStore {

    /** The claim window. A waiter sends a request in each second, so about half of the window is left when it is notified. */
    private static final Duration CLAIM_WINDOW = Duration.ofSeconds(2);

    /** A position and its withdrawal are a write each, and so is each lost race for one, which a server commits, too. */
    private static final int BARGING_PLACES = 12;

    private static final Limits LIMITS = Limits.STANDARD
            .withClaimMicros(TimeUnit.MICROSECONDS.convert(CLAIM_WINDOW))
            .withBargingPlaces(BARGING_PLACES);

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long MAX_RETRY_NANOS = TimeUnit.SECONDS.toNanos(32);

    /** The number of holds of a batch that are verified. */
    private static final int VERIFIED = 16;

    /** A lease that lasts as long as the session. */
    private static final Duration OF_SESSION = Duration.of(LockRecord.NEVER, ChronoUnit.MICROS);

    private static final Logger LOG = LoggerFactory.getLogger(SessionStore.class);

    private final Parts parts;
    private final StoreConfig config;
    private final RecordKeys keys;
    private final PictureReader reader;
    private final SessionRecords records;
    private final Holds holds;
    private final Doubts doubts;
    private final LocalClock local;
    private final ServerClock clock = new ServerClock();
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * The parts of a store that depend on its servers.
     *
     * @param capabilities those of the store, apart from the limits of its records
     * @param address the address of the servers for texts, never with a password
     * @param timer a timer, which the store closes
     */
    public record Parts(
            StoreConfig config,
            Sessions sessions,
            Directory directory,
            Capabilities capabilities,
            String address,
            Platform.Timer timer) {}

    private SessionStore(Parts parts, LocalClock local, PictureReader reader, SessionRecords records) {
        super(parts.config(), new Decider(LIMITS), records, parts.directory());
        this.parts = parts;
        this.local = local;
        this.reader = reader;
        this.records = records;
        config = parts.config();
        holds = new Holds(config.platform(), parts.timer(), this::end);
        doubts = new Doubts(config.platform());
        keys = new RecordKeys(config.keyPrefix());
    }

    /** Opens the store of a client, and starts its first session. */
    public static SessionStore open(Parts parts) {
        StoreConfig config = parts.config();
        LocalClock clock = LocalClock.of(config.platform());
        PictureReader reader = new PictureReader(config, parts.sessions());
        SessionRecords records = new SessionRecords(config, clock, parts.sessions(), reader, parts.timer());
        SessionStore store = new SessionStore(parts, clock, reader, records);
        parts.sessions()
                .start(new SessionSignals(config, parts.sessions(), clock, store.holds, store.doubts, reader)::receive);
        return store;
    }

    /**
     * Ends the lease of a hold at the servers. Nobody is notified, as at the end of any lease. It is repeated until it succeeds,
     * because the session would keep the hold for ever. It is decided anew each time: a tenure that has asked for the name again
     * meanwhile may hold it by a later grant, which must stay.
     */
    private void end(Hold hold) {
        end(hold, RETRY_NANOS);
    }

    /** Ends a lease, and tries again after a pause. It doubles while the servers refuse, which may last for long. */
    private void end(Hold hold, long pause) {
        var unused = records.update(
                        hold.key(),
                        (record, moment) -> new Decision<>(
                                holds.isEnding(hold.tenure()) ? record.endLease(hold.tenure(), moment.now()) : record,
                                true,
                                List.of()))
                .whenComplete((done, error) -> {
                    boolean settled =
                            error == null || parts.sessions().isOver(hold.session()) || isReplaced(Stages.cause(error));
                    if (!settled) {
                        long next = isRefusal(Stages.cause(error)) ? Math.min(2 * pause, MAX_RETRY_NANOS) : RETRY_NANOS;
                        parts.timer().schedule(pause, () -> endAgain(hold, next));
                    } else if (holds.isEnding(hold.tenure())) {
                        holds.ended(hold.tenure());
                    }
                });
    }

    private static boolean isRefusal(Throwable error) {
        return error instanceof StoreException failure && failure.effect() == Effect.REFUSED;
    }

    /** Returns {@code true} if another program has replaced a record, and with it the hold. */
    private static boolean isReplaced(Throwable error) {
        return error instanceof StoreException failure && UnreadableRecordException.hasRefused(failure);
    }

    private void endAgain(Hold hold, long pause) {
        if (holds.isEnding(hold.tenure())) {
            end(hold, pause);
        }
    }

    @Override
    public Capabilities capabilities() {
        return parts.capabilities()
                .withClaimWindow(CLAIM_WINDOW)
                .withFairPlaces(LIMITS.fairPlaces())
                .withMarkedReleases();
    }

    @Override
    public String describe() {
        return parts.address();
    }

    @Override
    public ServerClock clock(String name) {
        return clock;
    }

    @Override
    public CompletionStage<Void> confirmSignals() {
        return parts.sessions().confirmSignals();
    }

    private long now() {
        return config.platform().nanoTime();
    }

    // ---- leases

    private static boolean isKept(Duration lease, Session session) {
        return lease.compareTo(session.timeout()) >= 0;
    }

    /** Returns the lease that the record states. */
    private static Duration recorded(Duration lease, Session session) {
        return isKept(lease, session) ? OF_SESSION : lease;
    }

    /** Returns for how long a session is certain from a time on. */
    private Duration left(Session session, long from) {
        return parts.sessions().isOver(session.id())
                ? Duration.ZERO
                : session.validity().left(from, ClockReading.of(config.platform()));
    }

    /** Returns for how long a hold is certain from a time on. It was granted or renewed in the given session. */
    private Duration valid(Duration lease, Session session, long from) {
        Duration left = left(session, from);
        return lease.compareTo(left) < 0 ? lease : left;
    }

    /** Asks the servers for the session, unless it is certain for longer than the given time. Fails if it is still uncertain. */
    private CompletionStage<Void> confirmed(Session session, long from, Duration longerThan) {
        Duration left = left(session, from);
        if (left.compareTo(longerThan) > 0) {
            return CompletableFuture.completedStage(null);
        }
        if (left.isZero()) {
            doubts.add();
        }
        return Stages.unapplied(session.confirm()
                .thenCompose(done -> confirmedAgain(session, from))
                .thenAccept(done -> requireCertain(session, from)));
    }

    /** Asks once more if the answer proves nothing, because its request was under way before the session was in doubt. */
    private CompletionStage<Void> confirmedAgain(Session session, long from) {
        return left(session, from).isZero() ? session.confirm() : CompletableFuture.completedStage(null);
    }

    private void requireCertain(Session session, long from) {
        if (left(session, from).isZero()) {
            String why = parts.sessions().isOver(session.id())
                    ? "the session has ended, and its holds are lost"
                    : "the servers have not yet confirmed the session since this machine was suspended, its clock was set, or"
                            + " its leader has changed";
            throw new StoreException(StoreException.Effect.NOT_APPLIED, describe() + ": " + why + "; retry");
        }
    }

    // ---- requests

    @Override
    public CompletionStage<Acquire.Reply> acquire(Acquire request) {
        long sent = now();
        holds.asks(request.tenure());
        return parts.sessions()
                .present()
                .thenCompose(session ->
                        confirmed(session, sent, Duration.ZERO).thenCompose(done -> acquire(request, session, sent)))
                .whenComplete((reply, error) -> noteUnknown(request, Optional.ofNullable(reply), error));
    }

    private CompletionStage<Acquire.Reply> acquire(Acquire request, Session session, long sent) {
        long proven = doubts(session);
        return super.acquire(request.withLease(recorded(request.lease(), session)))
                .thenApply(reply -> reply(request, reply, session, sent, proven));
    }

    private long doubts(Session session) {
        return doubts.count(SessionValidity.margin(session.timeout()));
    }

    /** Notes a hold that may have been granted, by this request or by an earlier one, so that it ends with its lease. */
    private void noteUnknown(Acquire request, Optional<Acquire.Reply> reply, @Nullable Throwable error) {
        boolean earlier = holds.asked(request.tenure());
        boolean known = reply.filter(each -> !(each instanceof Acquire.Late)).isPresent();
        if (!known && (earlier || (error != null && mayBeApplied(error)))) {
            holds.note(hold(request, "", false, 0));
        }
    }

    private static boolean mayBeApplied(Throwable error) {
        return !(Stages.cause(error) instanceof StoreException failure)
                || failure.effect().mayBeApplied();
    }

    private Acquire.Reply reply(Acquire request, Acquire.Reply reply, Session session, long sent, long proven) {
        if (reply instanceof Acquire.Granted granted) {
            holds.note(hold(request, session.id(), isKept(request.lease(), session), proven));
            return new Acquire.Granted(
                    granted.tokens(),
                    valid(request.lease(), session, sent),
                    granted.foreignWaiters(),
                    granted.behind(),
                    granted.permits(),
                    granted.serverMicros());
        } else if (reply instanceof Acquire.Refused refused
                && refused.retryAfter().compareTo(session.timeout()) > 0) {
            return new Acquire.Refused(
                    session.timeout(),
                    refused.arrival(),
                    refused.behind(),
                    refused.holder(),
                    refused.serverMicros(),
                    refused.run());
        }
        return reply;
    }

    private Hold hold(Acquire request, String session, boolean kept, long proven) {
        return new Hold(
                keys.of(request.name(), request.share().mode()),
                request.tenure(),
                request.share().mode(),
                session,
                kept,
                proven,
                now() + request.lease().toNanos());
    }

    /** Releases a hold. One whose release fails still ends with its lease. */
    @Override
    public CompletionStage<Release.Reply> release(Release request) {
        return super.release(request).thenApply(reply -> {
            holds.remove(request.tenure());
            return reply;
        });
    }

    // ---- renewals

    /** Renews holds. Those of an ended session are lost, which needs no answer of the servers. */
    @Override
    public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
        Map<Renew, Renew.Reply> lost =
                batch.stream().filter(this::isLost).collect(toMap(identity(), request -> new Renew.Lost()));
        return RenewalReplies.withOthers(batch, lost, this::renewAlive);
    }

    private boolean isLost(Renew request) {
        return holds.of(request.tenure())
                .filter(hold -> parts.sessions().isOver(hold.session()))
                .isPresent();
    }

    private CompletionStage<List<Renew.Reply>> renewAlive(List<Renew> batch) {
        long sent = now();
        return parts.sessions()
                .present()
                .thenCompose(
                        session -> confirmed(session, sent, session.timeout().dividedBy(2))
                                .thenCompose(done -> renew(batch, session, sent)));
    }

    /**
     * Reads the records of some holds in any case, and of all that were not read since a doubt. Only if all of these are still held,
     * the session is proof for the others: somebody may have deleted the records.
     */
    private CompletionStage<List<Renew.Reply>> renew(List<Renew> batch, Session session, long sent) {
        long proven = doubts(session);
        List<Renew> kept = new ArrayList<>(batch.stream()
                .filter(request -> isKeptBySession(request, session, proven))
                .toList());
        Collections.shuffle(kept, new Random(config.platform().randomLong()));
        Set<Renew> unread = kept.stream().skip(VERIFIED).collect(toSet());
        List<Renew> read =
                batch.stream().filter(request -> !unread.contains(request)).toList();
        return renewRecords(read, session, sent, proven).thenCompose(replies -> {
            Map<Renew, Renew.Reply> known =
                    IntStream.range(0, read.size()).boxed().collect(toMap(read::get, replies::get, (one, same) -> one));
            boolean allHeld = replies.stream().allMatch(Renew.Renewed.class::isInstance);
            return RenewalReplies.withOthers(
                    batch,
                    known,
                    others -> allHeld
                            ? CompletableFuture.completedStage(renewed(others, session, sent))
                            : renewRecords(others, session, sent, proven));
        });
    }

    private CompletionStage<List<Renew.Reply>> renewRecords(
            List<Renew> batch, Session session, long sent, long proven) {
        return super.renew(batch.stream()
                        .map(request -> request.withLease(recorded(request.lease(), session)))
                        .toList())
                .thenApply(replies -> IntStream.range(0, batch.size())
                        .mapToObj(i -> reply(batch.get(i), replies.get(i), session, sent, proven))
                        .toList());
    }

    private boolean isKeptBySession(Renew request, Session session, long proven) {
        return request.tokens() == 0
                && request.floor() == 0
                && request.minHold().isZero()
                && isKept(request.lease(), session)
                && holds.of(request.tenure())
                        .filter(hold -> hold.kept() && hold.session().equals(session.id()))
                        .filter(hold -> hold.doubts() == proven)
                        .isPresent();
    }

    private List<Renew.Reply> renewed(List<Renew> batch, Session session, long sent) {
        return batch.stream().map(request -> renewed(request, session, sent)).toList();
    }

    private Renew.Reply renewed(Renew request, Session session, long sent) {
        holds.renew(request.tenure(), now() + request.lease().toNanos());
        int waiters = reader.pictures()
                .of(keys.of(request.name(), request.mode()))
                .map(picture -> picture.waiters(request.mode(), config.client().id()))
                .orElse(0);
        return new Renew.Renewed(valid(request.lease(), session, sent), waiters, Optional.empty(), local.micros(now()));
    }

    private Renew.Reply reply(Renew request, Renew.Reply reply, Session session, long sent, long proven) {
        if (reply instanceof Renew.Renewed renewed) {
            holds.note(new Hold(
                    keys.of(request.name(), request.mode()),
                    request.tenure(),
                    request.mode(),
                    session.id(),
                    isKept(request.lease(), session),
                    proven,
                    now() + request.lease().toNanos()));
            return new Renew.Renewed(
                    valid(request.lease(), session, sent),
                    renewed.foreignWaiters(),
                    renewed.tokens(),
                    renewed.serverMicros());
        } else if (reply instanceof Renew.Lost) {
            holds.remove(request.tenure());
        }
        return reply;
    }

    // ---- the end

    /**
     * Closes the store. Its holds stay until their leases end, as far as that can be written within the command timeout.
     * Otherwise they end with the session.
     */
    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        long end = now() + config.commandTimeout().toNanos();
        CompletableFuture<?> left =
                Stages.all(holds.all().stream().map(this::detach)).toCompletableFuture();
        await(left, end);
        if (!left.isDone() || left.isCompletedExceptionally()) {
            LOG.warn(
                    "{}: holds of client {} end before their leases, with its session",
                    describe(),
                    config.client().id());
        }
        await(parts.sessions().close().toCompletableFuture(), end);
        parts.timer().close();
    }

    /** Waits for the end of a stage, until the given {@code nanoTime}, also if the thread is interrupted. */
    private void await(CompletableFuture<?> stage, long end) {
        Thread caller = Thread.currentThread();
        var unused = stage.whenComplete((done, error) -> config.platform().unpark(caller));
        boolean interrupted = false;
        while (!stage.isDone() && now() - end < 0) {
            config.platform().park(this, end - now());
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            caller.interrupt();
        }
    }

    private CompletionStage<Boolean> detach(Hold hold) {
        long left = Math.max(0, hold.end() - now()) / 1_000;
        return records.update(
                hold.key(),
                (record, moment) -> new Decision<>(record.detach(hold.tenure(), left, moment), true, List.of()));
    }
}
