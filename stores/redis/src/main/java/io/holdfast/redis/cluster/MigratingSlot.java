package io.holdfast.redis.cluster;

import io.holdfast.redis.connection.Redirect;
import io.holdfast.redis.script.KeyPart;
import io.holdfast.redis.store.RedisStore;
import io.holdfast.redis.store.Stages;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Renews and releases holds key by key, while a slot migrates and its keys are at two nodes.
 *
 * @param nodes at one of which the slot is, and at another of which it will be
 */
record MigratingSlot(ClusterNodes nodes, Platform platform) {

    /** One key after the other, as long as they have the holder. As if somebody waited; no tokens are given. */
    CompletionStage<Renew.Reply> renew(RedisStore node, Renew request) {
        long time = timeAt(node, request.name());
        List<KeyPart> parts = node.parts(request.name(), request.tenure(), request.mode());
        CompletionStage<Boolean> held = CompletableFuture.completedStage(true);
        for (KeyPart part : parts) {
            held = held.thenCompose(so -> so
                    ? wherever(part, node, request.name(), request.lease())
                    : CompletableFuture.completedStage(false));
        }
        return held.thenApply(all -> all ? new Renew.Renewed(1, Optional.empty(), time) : new Renew.Lost());
    }

    /**
     * Whoever waits is not served. What is not held may have a place, which is withdrawn when the slot has arrived: that fails as
     * the request with all keys did.
     */
    CompletionStage<Release.Reply> release(RedisStore node, Release request, Throwable refusal) {
        long time = timeAt(node, request.name());
        List<KeyPart> parts = node.parts(request.name(), request.tenure(), request.mode());
        KeyPart hold = parts.stream().filter(KeyPart::isHold).findFirst().orElseThrow();
        return wherever(hold, node, request.name(), Duration.ZERO)
                .thenCompose(held -> held ? rest(parts, node, request.name()) : CompletableFuture.failedStage(refusal))
                .thenApply(done -> new Release.Reply(true, 0, time));
    }

    /** What is left behind if that fails is of nobody, and ends by itself. */
    private CompletionStage<?> rest(List<KeyPart> parts, RedisStore node, String name) {
        return Stages.all(parts.stream()
                .filter(part -> !part.isHold())
                .map(part -> wherever(part, node, name, Duration.ZERO)
                        .exceptionally(error -> false)));
    }

    /** What is known of it already: who answers may be another node, with another time. */
    private long timeAt(RedisStore node, String name) {
        return node.clock(name).notAfter(platform.nanoTime(), Duration.ZERO);
    }

    /** Where the key is, or to where it is on its way. */
    private CompletionStage<Boolean> wherever(
            KeyPart part, RedisStore node, String name, Duration lease) {
        return node.byKey(part, name, lease, false).exceptionallyCompose(error -> {
            Optional<Redirect> ask = Redirect.in(error).filter(redirect -> redirect.kind == Redirect.Kind.ASK);
            return ask.isEmpty()
                    ? CompletableFuture.failedStage(error)
                    : nodes.visit(ask.get().hostOr(node.host()), ask.get().port)
                            .thenCompose(there -> there.byKey(part, name, lease, true));
        });
    }
}
