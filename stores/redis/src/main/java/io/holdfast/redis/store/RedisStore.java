package io.holdfast.redis.store;

import io.holdfast.LockReport;
import io.holdfast.redis.connection.Driver;
import io.holdfast.redis.connection.RedisAddress;
import io.holdfast.redis.connection.RedisFailures;
import io.holdfast.redis.script.KeyLayout;
import io.holdfast.redis.script.KeyPart;
import io.holdfast.redis.script.Script;
import io.holdfast.redis.script.ScriptReply;
import io.holdfast.redis.script.Session;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Capabilities.Signals;
import io.holdfast.spi.CounterStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.ServerClock;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.TenureId;
import io.holdfast.support.TokenUnits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The store of one server. Each request of a client is one run of one script. */
public final class RedisStore implements LockStore {

    private static final Logger LOG = LoggerFactory.getLogger(RedisStore.class);

    private static final long CLOSE_NANOS = 500_000_000;
    public static final Capabilities CAPABILITIES = new Capabilities(false, Signals.PUSHED, Duration.ofMillis(100));

    private final StoreConfig config;
    private final RedisFailures failures;
    private final KeyLayout layout;
    public final Session session;
    private final LockReports reports;
    private final SharedLocks shared;
    public final RedisCounters counters;
    private final Renewals renewals;
    private final ServerClock clock = new ServerClock();
    private final Driver driver;
    private final ClientRegistry registry;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Creates a store with a key layout and a record of its own. */
    public RedisStore(StoreConfig config, RedisAddress server, Driver driver) {
        this(
                config,
                server,
                new KeyLayout(config.keyPrefix(), ""),
                driver,
                Optional.empty(),
                () -> {},
                Optional.empty());
    }

    /**
     * Creates a store that shares a driver and a client record with the stores of other servers.
     *
     * @param shared the record of the client; empty if it is written at this server
     * @param onLost called when the connection is lost
     * @param others asks other masters whether they name another one in place of this server; empty outside a cluster
     */
    public RedisStore(
            StoreConfig config,
            RedisAddress server,
            KeyLayout layout,
            Driver driver,
            Optional<ClientRegistry> shared,
            Runnable onLost,
            Optional<Function<Duration, CompletionStage<Boolean>>> others) {
        this.config = config;
        this.layout = layout;
        this.driver = driver;
        failures = new RedisFailures(server);
        session = new Session(config, failures, layout, driver, onLost, others);
        registry = shared.orElseGet(() -> new ClientRegistry(config, layout, new ServerRecords(session)));
        reports = new LockReports(session, layout, registry);
        this.shared = new SharedLocks(session, layout);
        counters = new RedisCounters(session, layout, registry, config.client().id());
        renewals = new Renewals(
                session,
                layout,
                failures,
                this.shared,
                counters,
                config.client().id());
    }

    /** Connects, unless the client is lazy. */
    public RedisStore open() {
        if (!config.lazy()) {
            connect();
        }
        return this;
    }

    /** Connects, and waits for the connection. */
    private void connect() {
        Optional<Throwable> error = driver.failureOfFirst(
                () -> connected().thenCompose(nothing -> session.requireSafety()), failures::mayPass);
        if (error.isPresent()) {
            close();
            throw failures.unreachable("cannot connect", error.get());
        }
    }

    /** Returns a stage that completes with the first connection. Logs a warning if the server may evict locks. */
    public CompletionStage<Void> connected() {
        return session.connection
                .get()
                .thenAccept(open -> session.send(() -> "info", redis -> redis.info("memory"))
                        .thenAccept(this::warnOfEviction));
    }

    public boolean isConnected() {
        return session.connection.now().isPresent();
    }

    /** Closes the connections for good. Parts that are shared with other stores stay open. */
    public void disconnect() {
        session.disconnect();
    }

    public String host() {
        return failures.server().uri().getHost();
    }

    private void warnOfEviction(String info) {
        if (evictsLocks(info)) {
            LOG.warn("{} drops locks when its memory is full: set its maxmemory-policy to noeviction", describe());
        }
    }

    public static boolean evictsLocks(String memory) {
        return !memory.contains("maxmemory:0\r") && !memory.contains("maxmemory_policy:noeviction");
    }

    @Override
    public Capabilities capabilities() {
        return CAPABILITIES;
    }

    @Override
    public String describe() {
        return "Redis at " + failures.server();
    }

    @Override
    public ServerClock clock(String name) {
        return clock;
    }

    @Override
    public CompletionStage<Acquire.Reply> acquire(Acquire request) {
        registry.refresh(request.lease());
        if (request.share().mode() == Mode.PERMITS) {
            return counters.acquire(request, queueing(request), reply -> permitted(reply, request.lease()));
        } else if (request.share().mode() != Mode.LOCK) {
            return shared.acquire(request, reply -> acquired(reply, request.lease()));
        }
        Object[] arguments = {
            request.tenure(),
            millis(request.lease()),
            TokenUnits.units(request.tokens()),
            request.notAfter(),
            queueing(request),
            request.arrival(),
            session.inboxes(request.name())
        };
        return session.run(
                Script.ACQUIRE,
                layout.servedKeys(request.name()),
                List.of(request.name()),
                reply -> acquired(reply, request.lease()),
                with(
                        arguments,
                        request.behind(),
                        place -> Stream.of(place.tenure(), place.arrival(), millis(place.lease()))));
    }

    /** Returns the arguments, followed by those of each other element. */
    private static <T> Object[] with(Object[] arguments, List<T> others, Function<T, Stream<Object>> each) {
        return others.isEmpty()
                ? arguments
                : Stream.concat(Stream.of(arguments), others.stream().flatMap(each))
                        .toArray();
    }

    private static int queueing(Acquire request) {
        return switch (request.queueing()) {
            case NONE -> 0;
            case BARGING -> 1;
            case FAIR -> 2;
        };
    }

    /** Decodes the reply for a semaphore. A grant has the number of permits, and no positions behind it. */
    private static Acquire.Reply permitted(ScriptReply reply, Duration lease) {
        return reply.count(0) == 1
                ? new Acquire.Granted(
                        reply.tokens(2), lease, reply.count(4), List.of(), reply.count(5), reply.number(1))
                : acquired(reply, lease);
    }

    private static Acquire.Reply acquired(ScriptReply reply, Duration lease) {
        long now = reply.number(1);
        return switch (reply.count(0)) {
            case 0 -> new Acquire.Late(now);
            case 1 -> new Acquire.Granted(reply.tokens(2), lease, reply.count(4), reply.numbers(5), 0, now);
            default -> {
                Duration left = LockReports.left(reply.number(2));
                Optional<String> holder = Optional.of(reply.text(4)).filter(text -> !text.isEmpty());
                yield new Acquire.Refused(left, reply.number(3), reply.numbers(5), holder, now, reply.run());
            }
        };
    }

    @Override
    public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
        batch.forEach(request -> registry.refresh(request.lease()));
        return renewals.renew(batch);
    }

    @Override
    public CompletionStage<Release.Reply> release(Release request) {
        if (request.mode() == Mode.PERMITS) {
            return counters.release(request, RedisStore::released);
        } else if (request.mode() != Mode.LOCK) {
            return shared.release(request, RedisStore::released);
        }
        Object[] arguments = {request.tenure(), request.yield() ? 1 : 0, session.inboxes(request.name())};
        Object[] all = with(arguments, request.places(), Stream::of);
        return Session.runToEnd(
                () -> session.run(Script.RELEASE, request.name(), reply -> reply, all), RedisStore::released);
    }

    /** Returns the keys of a hold, each with the part of the hold that it contains. */
    public List<KeyPart> parts(String name, TenureId tenure, Mode mode) {
        return KeyPart.of(layout, name, tenure, mode);
    }

    /** Renews the part of a hold in one key, or releases it if the lease is zero. The result is true if the key had the holder. */
    public CompletionStage<Boolean> byKey(KeyPart part, String name, Duration lease, boolean asking) {
        return session.runByKey(
                !lease.isZero(),
                part.key(),
                name,
                reply -> reply.count(0) == 1,
                asking,
                part.what(),
                part.holder(),
                millis(lease));
    }

    private static Release.Reply released(ScriptReply reply) {
        return new Release.Reply(reply.number(0) == 1, reply.count(1), reply.number(2));
    }

    /** Returns the lease in whole milliseconds. It is rounded up, because a lease must not end early. */
    static long millis(Duration lease) {
        return lease.plusNanos(999_999).toMillis();
    }

    @Override
    public CompletionStage<Optional<LockReport.Holder>> forceRelease(String name) {
        return reports.force(name);
    }

    @Override
    public CompletionStage<LockReport> inspect(String name) {
        return reports.inspect(name);
    }

    @Override
    public CompletionStage<List<LockReport>> list(String prefix) {
        return reports.list(prefix);
    }

    @Override
    public CounterStore counters() {
        return counters;
    }

    @Override
    public CompletionStage<Void> confirmSignals() {
        return session.confirm();
    }

    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            registry.remove().ifPresent(end -> driver.failureOf(end, CLOSE_NANOS));
            session.close();
            driver.close();
        }
    }
}
