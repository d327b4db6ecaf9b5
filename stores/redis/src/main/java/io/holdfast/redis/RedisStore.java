package io.holdfast.redis;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.ServerClock;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.TokenBlock;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One client's locks in one server: each request is one run of one script. */
final class RedisStore implements LockStore {

    private static final Logger LOG = LoggerFactory.getLogger(RedisStore.class);

    private static final long RECORD_LIFE_MILLIS = 30_000;
    private static final long RECORD_REFRESH_NANOS = 10_000_000_000L;
    private static final long CLOSE_NANOS = 500_000_000;

    private final StoreConfig config;
    private final Failures failures;
    private final Layout layout;
    private final Session session;
    private final Reports reports;
    private final ServerClock clock = new ServerClock();
    private final AtomicLong recordDue;
    private volatile boolean recorded;
    private final AtomicBoolean closed = new AtomicBoolean();

    RedisStore(StoreConfig config, Address server) {
        this.config = config;
        failures = new Failures(server);
        layout = new Layout(config.keyPrefix());
        session = new Session(config, failures, layout);
        reports = new Reports(session, layout);
        recordDue = new AtomicLong(config.platform().nanoTime());
    }

    /** Connects, and waits for it. */
    void connect() {
        Optional<Throwable> error =
                failureOf(session.open(), config.connectTimeout().toNanos());
        if (error.isPresent()) {
            close();
            throw failures.unreachable("cannot connect", error.get());
        }
        session.send("info", redis -> redis.info("memory")).thenAccept(this::warnOfEviction);
    }

    private Optional<Throwable> failureOf(CompletionStage<?> stage, long limitNanos) {
        CompletableFuture<?> end = stage.toCompletableFuture();
        session.after(limitNanos, () -> end.completeExceptionally(new TimeoutException()));
        return end.handle((value, error) -> Optional.<Throwable>ofNullable(error))
                .join();
    }

    private void warnOfEviction(String info) {
        if (evictsLocks(info)) {
            LOG.warn(
                    "{} drops keys when its memory is full, also locks that are held: set its maxmemory-policy to"
                            + " noeviction, or use another server",
                    describe());
        }
    }

    static boolean evictsLocks(String memory) {
        return !memory.contains("maxmemory:0\r") && !memory.contains("maxmemory_policy:noeviction");
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(false, true, true, Duration.ofMillis(100), 512, true);
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
        long lease = millis(request.lease());
        writeRecord(lease);
        return session.run(
                Script.ACQUIRE,
                List.of(request.name()),
                this::acquired,
                request.tenure(),
                lease,
                Reply.units(request.tokens()),
                request.notAfter(),
                request.enqueue() ? 1 : 0,
                request.arrival(),
                layout.inbox(""));
    }

    private Acquire.Reply acquired(Reply reply) {
        long now = reply.number(1);
        return switch (reply.count(0)) {
            case 0 -> new Acquire.Late(now);
            case 1 -> new Acquire.Granted(reply.tokens(2), reply.count(4), now);
            default -> {
                Duration left = Reports.left(reply.number(2));
                yield new Acquire.Refused(left, reply.number(3), Optional.of(reply.text(4)), now, session.run());
            }
        };
    }

    @Override
    public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
        List<Object> arguments = new ArrayList<>();
        for (Renew request : batch) {
            writeRecord(millis(request.lease()));
            arguments.addAll(List.of(request.tenure(), millis(request.lease()), Reply.units(request.tokens())));
        }
        List<String> names = batch.stream().map(Renew::name).toList();
        return names.isEmpty()
                ? CompletableFuture.completedStage(List.of())
                : session.run(Script.RENEW, names, reply -> renewed(names, reply), arguments.toArray())
                        .exceptionallyCompose(error -> failed(names, error));
    }

    private CompletionStage<List<Renew.Reply>> failed(List<String> names, Throwable error) {
        Renew.Reply reply = new Renew.Failed(failures.request("renew", error));
        return closed.get()
                ? CompletableFuture.failedStage(error)
                : CompletableFuture.completedStage(Collections.nCopies(names.size(), reply));
    }

    private List<Renew.Reply> renewed(List<String> names, Reply reply) {
        List<Renew.Reply> replies = new ArrayList<>();
        for (int at = 1; at < reply.values().size(); at += 4) {
            String what = "renew '" + names.get(replies.size()) + "'";
            replies.add(
                    switch (reply.count(at)) {
                        case 0 -> new Renew.Lost();
                        case 1 -> new Renew.Renewed(reply.count(at + 1), further(reply, at + 2), reply.number(0));
                        default -> new Renew.Failed(failures.answer(what, reply.text(at + 1)));
                    });
        }
        return replies;
    }

    private static Optional<TokenBlock> further(Reply reply, int at) {
        return reply.number(at + 1) == 0 ? Optional.empty() : Optional.of(reply.tokens(at));
    }

    @Override
    public CompletionStage<Release.Reply> release(Release request) {
        return session.run(
                Script.RELEASE,
                List.of(request.name()),
                reply -> new Release.Reply(reply.number(0) == 1, reply.count(1), reply.number(2)),
                request.tenure(),
                request.yield() ? 1 : 0,
                request.lastToken() >> Reply.UNIT_BITS,
                layout.inbox(""));
    }

    /** In full, as a lease must not end before its time. */
    private static long millis(Duration lease) {
        return lease.plusNanos(999_999).toMillis();
    }

    /** Who this client is, for others; for as long as the lock of the request may last. */
    private void writeRecord(long leaseMillis) {
        long now = config.platform().nanoTime();
        long due = recordDue.get();
        if (now - due >= 0 && recordDue.compareAndSet(due, now + RECORD_REFRESH_NANOS)) {
            recorded = true;
            SetArgs life = SetArgs.Builder.px(Math.max(RECORD_LIFE_MILLIS, leaseMillis));
            session.send("record", redis -> redis.set(recordKey(), Reports.record(config.client()), life));
        }
    }

    private String recordKey() {
        return layout.record(config.client().id());
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
    public CompletionStage<Void> confirmSignals() {
        return session.confirm();
    }

    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            if (recorded) {
                failureOf(session.send("record", redis -> redis.del(recordKey())), CLOSE_NANOS);
            }
            failureOf(session.disconnect(), CLOSE_NANOS);
            session.close();
        }
    }
}
