package io.holdfast.redis.store;

import io.holdfast.redis.connection.RedisFailures;
import io.holdfast.redis.script.KeyLayout;
import io.holdfast.redis.script.Script;
import io.holdfast.redis.script.ScriptReply;
import io.holdfast.redis.script.Session;
import io.holdfast.spi.Renew;
import io.holdfast.support.TokenUnits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The renewals of a client. There is one run of a script for each kind of hold in a batch.
 *
 * <p>Most locks that are due have the same lease, have no waiters, and need no tokens. A separate script renews them. Its request
 * names client and lease once for all of them. Its reply names only the locks that are lost, have waiters, or failed.
 */
record Renewals(
        Session session,
        KeyLayout layout,
        RedisFailures failures,
        SharedLocks shared,
        RedisCounters counters,
        String client) {

    private enum Kind {
        ALIKE,
        LOCK,
        SHARED,
        PERMITS
    }

    CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
        Map<Kind, List<Renew>> kinds = new EnumMap<>(Kind.class);
        batch.forEach(request -> kinds.computeIfAbsent(kind(request, batch), absent -> new ArrayList<>())
                .add(request));
        if (kinds.size() == 1) {
            return renew(kinds.keySet().iterator().next(), batch);
        }
        CompletionStage<Map<Kind, Iterator<Renew.Reply>>> replies =
                CompletableFuture.completedStage(new EnumMap<>(Kind.class));
        for (Map.Entry<Kind, List<Renew>> kind : kinds.entrySet()) {
            CompletionStage<List<Renew.Reply>> ofKind = renew(kind.getKey(), kind.getValue())
                    // a failure of one kind must not fail the others
                    .exceptionally(error -> Collections.nCopies(kind.getValue().size(), failed(error)));
            replies = replies.thenCombine(ofKind, (all, some) -> {
                all.put(kind.getKey(), some.iterator());
                return all;
            });
        }
        return replies.thenApply(all -> batch.stream()
                .map(request ->
                        Objects.requireNonNull(all.get(kind(request, batch))).next())
                .toList());
    }

    private Renew.Failed failed(Throwable error) {
        return new Renew.Failed(failures.renewal(error));
    }

    private Kind kind(Renew request, List<Renew> batch) {
        return switch (request.mode()) {
            case LOCK -> isPlain(request) && request.lease().equals(batch.get(0).lease()) ? Kind.ALIKE : Kind.LOCK;
            case READ, WRITE -> Kind.SHARED;
            case PERMITS -> Kind.PERMITS;
        };
    }

    private boolean isPlain(Renew request) {
        return request.tokens() == 0
                && request.floor() == 0
                && request.tenure().clientId().equals(client);
    }

    /**
     * Renews the holds of one kind. If too few replicas or disks confirm the renewals of the batch, these fail, but losses are
     * still returned.
     */
    private CompletionStage<List<Renew.Reply>> renew(Kind kind, List<Renew> batch) {
        AtomicReference<@Nullable List<Renew.Reply>> answered = new AtomicReference<>();
        Function<ScriptReply, List<Renew.Reply>> decoder = reply -> {
            List<Renew.Reply> replies = kind == Kind.ALIKE ? exceptions(batch, reply) : renewed(batch, reply);
            answered.set(replies);
            return replies;
        };
        CompletionStage<List<Renew.Reply>> replies = switch (kind) {
            case ALIKE -> alike(batch, decoder);
            case LOCK -> locks(batch, decoder);
            case SHARED -> shared.renew(batch, decoder);
            case PERMITS -> counters.renew(batch, decoder);
        };
        return replies.exceptionallyCompose(error -> {
            List<Renew.Reply> known = answered.get();
            return known == null
                    ? CompletableFuture.failedStage(error)
                    : CompletableFuture.completedStage(unconfirmed(known, failed(error)));
        });
    }

    private static List<Renew.Reply> unconfirmed(List<Renew.Reply> known, Renew.Failed failed) {
        return known.stream()
                .map(reply -> reply instanceof Renew.Renewed ? failed : reply)
                .toList();
    }

    private static List<String> names(List<Renew> batch) {
        return batch.stream().map(Renew::name).toList();
    }

    // ---- locks one by one, and the replies of this form

    private CompletionStage<List<Renew.Reply>> locks(
            List<Renew> batch, Function<ScriptReply, List<Renew.Reply>> decoder) {
        List<Object> arguments = new ArrayList<>();
        for (Renew request : batch) {
            arguments.addAll(List.of(
                    request.tenure(),
                    RedisStore.millis(request.lease()),
                    TokenUnits.units(request.tokens()),
                    TokenUnits.unit(request.floor())));
        }
        List<String> names = names(batch);
        return session.run(Script.RENEW, layout.keys(names), names, decoder, arguments.toArray());
    }

    private List<Renew.Reply> renewed(List<Renew> batch, ScriptReply reply) {
        List<Renew.Reply> replies = new ArrayList<>();
        for (int at = 1; at < reply.values().size(); at += 4) {
            Renew request = batch.get(replies.size());
            replies.add(
                    switch (reply.count(at)) {
                        case 0 -> new Renew.Lost();
                        case 1 ->
                            new Renew.Renewed(
                                    request.lease(), reply.count(at + 1), reply.maybeTokens(at + 2), reply.number(0));
                        default -> failed(request.name(), reply.text(at + 1));
                    });
        }
        return replies;
    }

    private Renew.Failed failed(String name, String error) {
        return new Renew.Failed(failures.renewal(name, error));
    }

    // ---- locks with one lease

    private CompletionStage<List<Renew.Reply>> alike(
            List<Renew> batch, Function<ScriptReply, List<Renew.Reply>> decoder) {
        Duration lease = batch.get(0).lease();
        Object[] arguments = new Object[batch.size() + 2];
        arguments[0] = client + ":";
        arguments[1] = RedisStore.millis(lease);
        for (int i = 0; i < batch.size(); i++) {
            arguments[i + 2] = batch.get(i).tenure().number();
        }
        List<String> names = names(batch);
        return session.run(Script.RENEW_ALIKE, layout.renewedKeys(names), names, decoder, arguments);
    }

    private List<Renew.Reply> exceptions(List<Renew> batch, ScriptReply reply) {
        long now = reply.number(0);
        Renew.Reply[] replies = new Renew.Reply[batch.size()];
        Duration lease = batch.get(0).lease();
        Arrays.fill(replies, new Renew.Renewed(lease, 0, Optional.empty(), now));
        for (int at = 1; at < reply.values().size(); at += 3) {
            int which = reply.count(at) - 1;
            replies[which] = switch (reply.count(at + 1)) {
                case 0 -> new Renew.Lost();
                case 1 -> new Renew.Renewed(lease, reply.count(at + 2), Optional.empty(), now);
                default -> failed(batch.get(which).name(), reply.text(at + 2));
            };
        }
        return List.of(replies);
    }
}
