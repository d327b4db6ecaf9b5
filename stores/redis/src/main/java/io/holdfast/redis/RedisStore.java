package io.holdfast.redis;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.CounterStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.ServerClock;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.TogetherStore;
import io.holdfast.support.ClientRecord;
import io.holdfast.support.TokenUnits;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One client's locks in one server: each request is one run of one script. */
final class RedisStore implements LockStore {

    private static final Logger LOG = LoggerFactory.getLogger(RedisStore.class);

    private static final long CLOSE_NANOS = 500_000_000;
    private static final Set<Mode> MODES = Set.of(Mode.values());

    private final StoreConfig config;
    private final Failures failures;
    private final Layout layout;
    final Session session;
    private final Reports reports;
    private final SharedLocks shared;
    private final RedisCounters counters;
    private final Renewals renewals;
    private final ServerClock clock = new ServerClock();
    private final ClientRecord record;
    private final String recordKey;
    private final AtomicBoolean closed = new AtomicBoolean();

    RedisStore(StoreConfig config, Address server) {
        this.config = config;
        failures = new Failures(server);
        layout = new Layout(config.keyPrefix());
        session = new Session(config, failures, layout);
        reports = new Reports(session, layout);
        shared = new SharedLocks(session, layout);
        counters = new RedisCounters(session, layout, reports, config.client().id());
        renewals = new Renewals(
                session, layout, failures, shared, counters, config.client().id());
        record = new ClientRecord(config);
        recordKey = layout.record(config.client().id());
    }

    /** Connects, and waits for it. */
    void connect() {
        Optional<Throwable> error = session.failureOf(
                session.connection.get(), config.connectTimeout().toNanos());
        if (error.isPresent()) {
            close();
            throw failures.unreachable("cannot connect", error.get());
        }
        session.send(() -> "info", redis -> redis.info("memory")).thenAccept(this::warnOfEviction);
    }

    private void warnOfEviction(String info) {
        if (evictsLocks(info)) {
            LOG.warn("{} drops locks when its memory is full: set its maxmemory-policy to noeviction", describe());
        }
    }

    static boolean evictsLocks(String memory) {
        return !memory.contains("maxmemory:0\r") && !memory.contains("maxmemory_policy:noeviction");
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(false, true, true, MODES, Duration.ofMillis(100), 512, true);
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
        writeRecord(request.lease());
        if (request.share().mode() == Mode.PERMITS) {
            return counters.acquire(request, queueing(request), RedisStore::permitted);
        } else if (request.share().mode() != Mode.LOCK) {
            return shared.acquire(request, RedisStore::acquired);
        }
        Object[] arguments = {
            request.tenure(),
            millis(request.lease()),
            TokenUnits.units(request.tokens()),
            request.notAfter(),
            queueing(request),
            request.arrival(),
            layout.inbox("")
        };
        return session.run(
                Script.ACQUIRE,
                List.of(request.name()),
                RedisStore::acquired,
                with(arguments, request.behind(), place -> Stream.of(place.tenure(), place.arrival())));
    }

    /** The arguments, and those of each of the others, of which mostly there are none. */
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

    /** A grant says how many permits, and there are no places behind it. */
    private static Acquire.Reply permitted(Reply reply) {
        return reply.count(0) == 1
                ? new Acquire.Granted(reply.tokens(2), reply.count(4), List.of(), reply.count(5), reply.number(1))
                : acquired(reply);
    }

    private static Acquire.Reply acquired(Reply reply) {
        long now = reply.number(1);
        return switch (reply.count(0)) {
            case 0 -> new Acquire.Late(now);
            case 1 -> new Acquire.Granted(reply.tokens(2), reply.count(4), reply.numbers(5), now);
            default -> {
                Duration left = Reports.left(reply.number(2));
                Optional<String> holder = Optional.of(reply.text(4)).filter(text -> !text.isEmpty());
                yield new Acquire.Refused(left, reply.number(3), reply.numbers(5), holder, now, reply.run());
            }
        };
    }

    @Override
    public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
        batch.forEach(request -> writeRecord(request.lease()));
        return renewals.renew(batch);
    }

    @Override
    public CompletionStage<Release.Reply> release(Release request) {
        if (request.mode() == Mode.PERMITS) {
            return counters.release(request, RedisStore::released);
        } else if (request.mode() != Mode.LOCK) {
            return shared.release(request, RedisStore::released);
        }
        Object[] arguments = {
            request.tenure(), request.yield() ? 1 : 0, TokenUnits.unit(request.lastToken()), layout.inbox("")
        };
        return session.run(
                Script.RELEASE,
                List.of(request.name()),
                RedisStore::released,
                with(arguments, request.places(), Stream::of));
    }

    private static Release.Reply released(Reply reply) {
        return new Release.Reply(reply.number(0) == 1, reply.count(1), reply.number(2));
    }

    /** In full, as a lease must not end before its time. */
    static long millis(Duration lease) {
        return lease.plusNanos(999_999).toMillis();
    }

    /** Who this client is, for others; for as long as the lock of the request may last. */
    private void writeRecord(Duration lease) {
        if (record.takeTurn()) {
            SetArgs life = SetArgs.Builder.px(ClientRecord.life(lease));
            session.send(() -> "record", redis -> redis.set(recordKey, record.text(), life));
        }
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
    public Optional<CounterStore> counters() {
        return Optional.of(counters);
    }

    @Override
    public Optional<TogetherStore> together() {
        return Optional.of(new TogetherLocks(session, layout, this::writeRecord));
    }

    @Override
    public CompletionStage<Void> confirmSignals() {
        return session.confirm();
    }

    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            if (record.isWritten()) {
                session.failureOf(session.send(() -> "record", redis -> redis.del(recordKey)), CLOSE_NANOS);
            }
            session.close();
        }
    }
}
