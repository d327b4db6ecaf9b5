package io.holdfast.redis.store;

import io.holdfast.LatchCount;
import io.holdfast.LockReport;
import io.holdfast.PermitHolder;
import io.holdfast.SemaphoreReport;
import io.holdfast.redis.script.KeyLayout;
import io.holdfast.redis.script.Script;
import io.holdfast.redis.script.ScriptReply;
import io.holdfast.redis.script.Session;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Change;
import io.holdfast.spi.CounterStore;
import io.holdfast.spi.LatchReport;
import io.holdfast.spi.PermitReport;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.TenureId;
import io.holdfast.support.TokenUnits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;

/** The requests of {@link RedisStore} for semaphores and latches. */
public record RedisCounters(Session session, KeyLayout layout, ClientRegistry registry, String client)
        implements CounterStore {

    private static final int HOLDERS_AT = 3;
    private static final int HOLDER_SIZE = 3;
    private static final int MAX_HOLDERS = 500;
    private static final int UNOPENED_AT = 5;

    // ---- holders of permits

    CompletionStage<Acquire.Reply> acquire(
            Acquire request, int queueing, Function<ScriptReply, Acquire.Reply> decoder) {
        return session.run(
                Script.PERMIT_ACQUIRE,
                keys(request.name()),
                List.of(request.name()),
                decoder,
                request.tenure(),
                RedisStore.millis(request.lease()),
                TokenUnits.units(request.tokens()),
                request.notAfter(),
                queueing,
                request.arrival(),
                session.inboxes(request.name()),
                request.share().permits(),
                layout.prefix() + request.name());
    }

    CompletionStage<List<Renew.Reply>> renew(List<Renew> batch, Function<ScriptReply, List<Renew.Reply>> decoder) {
        List<Object> arguments = new ArrayList<>();
        for (Renew request : batch) {
            arguments.addAll(
                    List.of(request.tenure(), RedisStore.millis(request.lease()), TokenUnits.units(request.tokens())));
        }
        List<String> names = batch.stream().map(Renew::name).toList();
        String[] keys = names.stream().flatMap(name -> Stream.of(keys(name))).toArray(String[]::new);
        return session.run(Script.PERMIT_RENEW, keys, names, decoder, arguments.toArray());
    }

    CompletionStage<Release.Reply> release(Release request, Function<ScriptReply, Release.Reply> decoder) {
        return release(request.name(), request.tenure(), 0, request.places(), decoder);
    }

    private <T> CompletionStage<T> release(
            String name, TenureId tenure, int notify, List<TenureId> places, Function<ScriptReply, T> decoder) {
        Object[] arguments = Stream.concat(
                        Stream.of(tenure, session.inboxes(name), layout.prefix() + name, notify), places.stream())
                .toArray();
        return Session.runToEnd(
                () -> session.run(Script.PERMIT_RELEASE, keys(name), List.of(name), reply -> reply, arguments),
                decoder);
    }

    private String[] keys(String name) {
        return layout.permitKeys(name);
    }

    // ---- number of permits and counts of latches

    @Override
    public CompletionStage<Change.Reply> change(Change request) {
        boolean ofLatch = request.kind().ofLatch();
        return Session.runToEnd(
                () -> session.run(
                        ofLatch ? Script.LATCH_CHANGE : Script.PERMIT_CHANGE,
                        ofLatch ? latchKeys(request.name()) : keys(request.name()),
                        List.of(request.name()),
                        reply -> reply,
                        request.kind(),
                        request.id(),
                        request.amount(),
                        request.notAfter(),
                        session.inboxes(request.name()),
                        layout.prefix() + request.name(),
                        request.life().map(RedisStore::millis).orElse(0L)),
                RedisCounters::changed);
    }

    private static Change.Reply changed(ScriptReply reply) {
        long now = reply.number(1);
        return reply.count(0) == 0 ? new Change.Late(now) : new Change.Done(reply.number(2) == 1, now);
    }

    @Override
    public CompletionStage<Boolean> revoke(String name, TenureId permit) {
        return release(name, permit, 1, List.of(), reply -> reply.number(0) == 1);
    }

    @Override
    public CompletionStage<List<SemaphoreReport>> semaphores(String prefix) {
        return names("pl", prefix)
                .thenCompose(names -> KeyScan.each(
                        names,
                        name -> permits(name)
                                .thenApply(report -> Optional.of(report.of(name))
                                        .filter(given -> report.limit().isPresent()))));
    }

    @Override
    public CompletionStage<List<LatchCount>> latches(String prefix) {
        return names("l", prefix).thenCompose(names -> KeyScan.each(names, this::count));
    }

    private CompletionStage<Optional<LatchCount>> count(String name) {
        return session.run(
                Script.LATCH_LOOK,
                latchKeys(name),
                List.of(name),
                reply -> reply.count(0) == 0 ? Optional.empty() : Optional.of(new LatchCount(name, reply.count(1))));
    }

    private CompletionStage<Set<String>> names(String kind, String prefix) {
        return new KeyScan(session).names("string", layout.counted(kind, prefix), key -> layout.countedName(kind, key));
    }

    @Override
    public CompletionStage<PermitReport> permits(String name) {
        return permits(name, new ScriptReply(List.of(), 0)).thenCompose(this::report);
    }

    /** Returns a reply with all holders. One run of the script returns a limited number of them. */
    private CompletionStage<ScriptReply> permits(String name, ScriptReply before) {
        int read = Math.max(0, before.values().size() - HOLDERS_AT) / HOLDER_SIZE;
        return session.run(Script.PERMIT_INSPECT, keys(name), List.of(name), reply -> reply, read, MAX_HOLDERS)
                .thenCompose(reply -> {
                    List<Object> all = new ArrayList<>(read == 0 ? reply.values() : before.values());
                    List<Object> holders =
                            reply.values().subList(HOLDERS_AT, reply.values().size());
                    if (read > 0) {
                        all.addAll(holders);
                    }
                    ScriptReply joined = new ScriptReply(all, 0);
                    return holders.size() == MAX_HOLDERS * HOLDER_SIZE
                            ? permits(name, joined)
                            : CompletableFuture.completedStage(joined);
                });
    }

    private CompletionStage<PermitReport> report(ScriptReply reply) {
        List<String> tenures = new ArrayList<>();
        for (int i = HOLDERS_AT; i < reply.values().size(); i += HOLDER_SIZE) {
            tenures.add(reply.text(i));
        }
        OptionalInt limit = reply.count(1) < 0 ? OptionalInt.empty() : OptionalInt.of(reply.count(1));
        return registry.clients(tenures).thenApply(clients -> {
            List<PermitHolder> holders = new ArrayList<>();
            for (LockReport.Client holder : clients) {
                int at = HOLDERS_AT + holders.size() * HOLDER_SIZE;
                Duration left = Duration.ofMillis(reply.number(at + 2));
                holders.add(new PermitHolder(reply.text(at), reply.count(at + 1), holder, left));
            }
            holders.removeIf(holder -> holder.count() == 0);
            return new PermitReport(limit, holders, reply.count(2));
        });
    }

    // ---- latches

    @Override
    public CompletionStage<LatchReport> latch(String name, boolean listening) {
        return session.run(
                Script.LATCH_INSPECT, latchKeys(name), List.of(name), RedisCounters::latch, client, listening ? 1 : 0);
    }

    private static LatchReport latch(ScriptReply reply) {
        OptionalLong set = reply.number(1) == 0 ? OptionalLong.empty() : OptionalLong.of(reply.number(1));
        Set<Long> unopened = Set.copyOf(reply.numbers(UNOPENED_AT));
        return new LatchReport(set, reply.count(2), reply.number(3), reply.number(4), unopened);
    }

    private String[] latchKeys(String name) {
        return layout.countedKeys(name, "l", "ll", "ld");
    }
}
