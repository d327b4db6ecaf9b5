package io.holdfast.jdbc.record;

import static io.holdfast.spi.Names.quoted;
import static java.util.stream.Collectors.toSet;

import io.holdfast.LockReport;
import io.holdfast.jdbc.sql.Dialect;
import io.holdfast.jdbc.sql.GuardedStatements;
import io.holdfast.jdbc.sql.Key;
import io.holdfast.jdbc.sql.Verdict;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.CounterStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.ServerClock;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.support.RenewalReplies;
import io.holdfast.support.TokenUnits;
import io.holdfast.support.record.Decider;
import io.holdfast.support.record.Decision;
import io.holdfast.support.record.Limits;
import io.holdfast.support.store.BusyNames;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKeys;
import io.holdfast.support.store.RecordStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The locks of one client in a table. A lock that nobody waits for is acquired and released by one guarded statement each, where
 * the database has such statements. Everything else is decided on its record.
 */
public final class TableStore extends RecordStore {

    /** The number of places, holders and changes of a name is limited, because each write contains all of them. */
    private static final Limits LIMITS = Limits.STANDARD;

    /** The number of leases that one guarded statement renews. Without such a statement, each lease is a write of its own. */
    private static final int RENEWALS = 1_000;

    /** A holder is asked for less. The timer that ends the question does not fire once the store is closed. */
    private static final long DESCRIPTION_SECONDS = 1;

    private static final Logger LOG = LoggerFactory.getLogger(TableStore.class);

    private final StoreConfig config;
    private final RecordKeys keys;
    private final Dialect dialect;
    private final Sessions sessions;
    private final TableRecords records;
    private final Signals signals;
    private final BusyNames busy;
    /** Set if signals were pushed when the store was opened. */
    private final boolean pushes;

    private final TableDirectory directory;
    private final Sweep sweep;
    private final Callers callers;
    private final CounterStore counters;
    private final Platform.Timer timer;
    private final ServerClock clock = new ServerClock();

    /** The parts of a store beside the sessions. */
    private record Parts(
            Signals signals,
            BusyNames busy,
            TableRecords records,
            TableDirectory directory,
            Sweep sweep,
            Platform.Timer timer) {}

    private TableStore(StoreConfig config, Dialect dialect, Sessions sessions, boolean pushes, Parts parts) {
        super(config, new Decider(LIMITS), parts.records(), parts.directory());
        this.config = config;
        this.dialect = dialect;
        this.sessions = sessions;
        this.pushes = pushes;
        keys = new RecordKeys(config.keyPrefix());
        records = parts.records();
        signals = parts.signals();
        busy = parts.busy();
        directory = parts.directory();
        sweep = parts.sweep();
        callers = new Callers(
                sessions.callers(), config.commandTimeout().multipliedBy(3).dividedBy(4), describe());
        counters = callers.limit(super.counters());
        timer = parts.timer();
    }

    /**
     * Opens the store of a client, which then closes the sessions.
     *
     * @param sweepAfter the time for which a name is unused before its row may be deleted
     * @param listens whether to use the messages of the database, if it carries any
     */
    public static TableStore open(
            StoreConfig config, Dialect dialect, Sessions sessions, Duration sweepAfter, boolean listens) {
        Platform.Timer timer =
                config.platform().timer("holdfast-" + config.client().id() + "-jdbc-timer");
        Signals signals = Signals.of(config, dialect, sessions, timer, listens);
        boolean pushes = signals.listener().isPresent() && !config.lazy() && signals.listen();
        BusyNames busy = new BusyNames();
        return new TableStore(
                config,
                dialect,
                sessions,
                pushes,
                new Parts(
                        signals,
                        busy,
                        new TableRecords(config, dialect, sessions, signals, busy),
                        new TableDirectory(config, dialect, sessions, signals),
                        new Sweep(config, dialect, sessions, sweepAfter),
                        timer));
    }

    @Override
    public Capabilities capabilities() {
        Capabilities common = new Capabilities(
                        true,
                        pushes ? Capabilities.Signals.PUSHED : Capabilities.Signals.LOOKED,
                        Duration.ofMillis(100))
                .withFairPlaces(LIMITS.fairPlaces())
                .withMarkedReleases();
        return dialect.guarded().isPresent() ? common.withRenewalBatch(RENEWALS) : common;
    }

    @Override
    public String describe() {
        return dialect.product() + " at " + sessions.address();
    }

    @Override
    public ServerClock clock(String name) {
        return clock;
    }

    // ---- locks that nobody waits for

    @Override
    public CompletionStage<Acquire.Reply> acquire(Acquire request) {
        return callers.run("acquire " + quoted(request.name()), () -> acquireNow(request));
    }

    private CompletionStage<Acquire.Reply> acquireNow(Acquire request) {
        signals.use();
        boolean plain = request.share().equals(Share.LOCK)
                && request.behind().isEmpty()
                && request.notAfter() > 0
                && !busy.contains(keys.lock(request.name()));
        return dialect.guarded()
                .filter(statements -> plain)
                .map(statements -> TableRecords.start(() -> grant(statements, request))
                        .thenCompose(granted -> granted.<CompletionStage<Acquire.Reply>>map(TableRecords::completed)
                                .orElseGet(() -> decided(request))))
                .orElseGet(() -> decided(request));
    }

    private CompletionStage<Acquire.Reply> decided(Acquire request) {
        return super.acquire(request).thenApply(reply -> {
            directory.introduce();
            return reply;
        });
    }

    private Optional<Acquire.Reply> grant(GuardedStatements statements, Acquire request) {
        Key key = Key.of(keys.lock(request.name()));
        String tenure = request.tenure().toString();
        return sessions.runWrite(
                        "acquire " + quoted(request.name()),
                        connection -> statements.acquire(
                                connection, key, tenure, micros(request.lease()), request.notAfter()))
                .flatMap(grant -> grant)
                .map(grant -> new Acquire.Granted(
                        TokenUnits.tokens(grant.unit(), 1), request.lease(), 0, List.of(), 0, grant.now()));
    }

    /** Returns the lease in microseconds, rounded up, because a lease must not end early. */
    private static long micros(Duration lease) {
        return lease.plusNanos(999).toNanos() / 1_000;
    }

    @Override
    public CompletionStage<Release.Reply> release(Release request) {
        return callers.run("release " + quoted(request.name()), () -> releaseNow(request));
    }

    private CompletionStage<Release.Reply> releaseNow(Release request) {
        boolean plain =
                request.mode() == Mode.LOCK && request.places().isEmpty() && !busy.contains(keys.lock(request.name()));
        CompletionStage<Release.Reply> reply = dialect.guarded()
                .filter(statements -> plain)
                .map(statements -> TableRecords.start(() -> release(statements, request))
                        .thenCompose(now -> now.isPresent()
                                ? TableRecords.completed(new Release.Reply(true, 0, now.getAsLong()))
                                : super.release(request)))
                .orElseGet(() -> super.release(request));
        sweep.startIfDue();
        return reply;
    }

    private OptionalLong release(GuardedStatements statements, Release request) {
        Key key = Key.of(keys.lock(request.name()));
        String tenure = request.tenure().toString();
        long lastUnit = request.lastToken() == 0 ? Long.MAX_VALUE : TokenUnits.unit(request.lastToken());
        return sessions.runWrite(
                        "release " + quoted(request.name()),
                        connection -> statements.release(connection, key, tenure, lastUnit))
                .orElse(OptionalLong.empty());
    }

    // ---- renewals

    /** Renews all locks whose renewal asks for nothing else by one statement, where the database has it. */
    @Override
    public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
        directory.introduce();
        records.noteLeases(batch.stream().map(Renew::lease).toList());
        List<Renew> plain = batch.stream()
                .filter(request -> request.mode() == Mode.LOCK && request.tokens() == 0 && request.floor() == 0)
                .toList();
        return dialect.guarded()
                .filter(statements -> !plain.isEmpty())
                .map(statements -> TableRecords.start(() -> renewPlain(statements, plain))
                        .thenCompose(renewed -> RenewalReplies.withOthers(batch, renewed, super::renew)))
                .orElseGet(() -> super.renew(batch));
    }

    /**
     * Renews locks by one statement, and leaves out those whose rows another transaction keeps locked, because they must not delay the
     * others. A hurried statement skips these rows. On a database that cannot skip them, they are looked up before a hurried statement.
     * A statement that is not hurried waits for one of them, and they are looked up if that wait fails.
     */
    private Map<Renew, Renew.Reply> renewPlain(GuardedStatements statements, List<Renew> plain) {
        boolean hurried = records.isHurried();
        boolean locksFirst = hurried && !dialect.skipsLocked();
        return (locksFirst ? Optional.<Map<Renew, Renew.Reply>>empty() : renewUnlessLocked(statements, plain, hurried))
                .orElseGet(() -> renewFree(statements, plain));
    }

    private Map<Renew, Renew.Reply> renewFree(GuardedStatements statements, List<Renew> plain) {
        Set<Key> locked = records.staysLocked(plain.stream().map(this::key).collect(toSet()));
        Map<Renew, Renew.Reply> replies = new HashMap<>();
        List<Renew> free = new ArrayList<>();
        for (Renew request : plain) {
            if (locked.contains(Key.of(key(request)))) {
                String what = "renew " + quoted(request.name());
                replies.put(request, new Renew.Failed(sessions.rowLocked(what)));
            } else {
                free.add(request);
            }
        }
        if (!free.isEmpty()) {
            renewUnlessLocked(statements, free, true).ifPresent(replies::putAll);
        }
        return replies;
    }

    private RecordKey key(Renew request) {
        return keys.lock(request.name());
    }

    /** Returns the replies; empty if a row was locked or another writer was faster. Any other failure is that of the batch. */
    private Optional<Map<Renew, Renew.Reply>> renewUnlessLocked(
            GuardedStatements statements, List<Renew> plain, boolean hurried) {
        try {
            return Optional.of(renew(statements, plain, hurried));
        } catch (StoreException e) {
            if (e.getCause() instanceof SQLException cause) {
                records.waitedInVain();
                if (dialect.verdict(cause) != Verdict.LOCKED) {
                    throw e;
                }
            }
            LOG.debug("{} locks are not renewed by one statement", plain.size(), e);
            return Optional.empty();
        }
    }

    /**
     * Returns the replies to those whose tenures hold their locks. Whether the others are lost is decided on their records: a statement
     * that matches no row may have met a state that is not the last one.
     */
    private Map<Renew, Renew.Reply> renew(GuardedStatements statements, List<Renew> plain, boolean hurried) {
        Map<Renew, GuardedStatements.Lease> leases = new LinkedHashMap<>();
        plain.forEach(request -> leases.put(
                request,
                new GuardedStatements.Lease(
                        Key.of(key(request)), request.tenure().toString(), micros(request.lease()))));
        String what = plain.size() == 1 ? "renew " + quoted(plain.get(0).name()) : "renew " + plain.size() + " locks";
        Map<GuardedStatements.Lease, GuardedStatements.Renewed> renewed = sessions.runWrite(
                        what, connection -> statements.renew(connection, List.copyOf(leases.values()), hurried))
                .orElseThrow(
                        () -> new StoreException(Effect.NOT_APPLIED, what + ": other clients wrote faster; retry"));
        Map<Renew, Renew.Reply> replies = new HashMap<>();
        renewed.forEach((lease, answer) -> {
            if (answer.waiters() > 0) {
                busy.note(lease.key().record(), true);
            }
        });
        leases.forEach((request, lease) -> Optional.ofNullable(renewed.get(lease))
                .ifPresent(answer -> replies.put(
                        request,
                        new Renew.Renewed(request.lease(), answer.waiters(), Optional.empty(), answer.now()))));
        return replies;
    }

    // ---- counters, and reports

    @Override
    public CounterStore counters() {
        return counters;
    }

    @Override
    public CompletionStage<Optional<LockReport.Holder>> forceRelease(String name) {
        return callers.run("force " + quoted(name), () -> {
            CompletionStage<Described> described = askHolder(name);
            awaitDescription(described);
            return described.thenCompose(this::revoke);
        });
    }

    /**
     * Waits until a holder has described its hold. The thread that receives the description must not write: while it waited for a
     * locked row, it would receive nothing else, and would use a connection that is left for renewals.
     */
    private static void awaitDescription(CompletionStage<Described> described) {
        var unused = described
                .handle((holder, failure) -> true)
                .toCompletableFuture()
                .completeOnTimeout(false, DESCRIPTION_SECONDS, TimeUnit.SECONDS)
                .join();
    }

    @Override
    public CompletionStage<LockReport> inspect(String name) {
        return callers.run("read " + quoted(name), () -> super.inspect(name));
    }

    @Override
    public CompletionStage<List<LockReport>> list(String prefix) {
        return callers.run("list", () -> super.list(prefix));
    }

    // ---- signals, and the end

    private void endWaits(RecordKey key) {
        var unused = records.update(
                        key,
                        (record, moment) -> new Decision<>(
                                record.withoutWaitsOf(config.client().id()), true, List.of()))
                .exceptionally(failed -> false);
    }

    @Override
    public CompletionStage<Void> confirmSignals() {
        return signals.confirm();
    }

    private void leave() {
        long end = config.platform().nanoTime() + config.commandTimeout().toNanos();
        signals.looker().awaited().stream()
                .takeWhile(key -> config.platform().nanoTime() - end < 0)
                .forEach(this::endWaits);
        directory.leave();
    }

    /** Closes the store. Its waits end at once, as far as that is possible within the command timeout. Its holds stay. */
    @Override
    public void close() {
        try {
            // a driver may hang
            sessions.onItsOwnThread(this::leave, config.commandTimeout().multipliedBy(2));
        } finally {
            signals.close();
            sweep.close();
            timer.close();
            sessions.close();
        }
    }
}
