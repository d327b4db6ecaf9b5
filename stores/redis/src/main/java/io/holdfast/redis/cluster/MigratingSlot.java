package io.holdfast.redis.cluster;

import io.holdfast.redis.connection.Redirect;
import io.holdfast.redis.script.KeyPart;
import io.holdfast.redis.store.RedisStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.support.Stages;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Renews and releases holds key by key, while their slot migrates and the keys are at two nodes. {@link KeyPart} has the
 * invariants.
 *
 * @param nodes the nodes of the cluster; one of them has the slot, and another one imports it
 */
record MigratingSlot(ClusterNodes nodes, Platform platform) {

    /** Renews the keys one after another, until one does not have the holder. The reply has one waiter and no tokens. */
    CompletionStage<Renew.Reply> renew(RedisStore node, Renew request) {
        long time = timeAt(node, request.name());
        List<KeyPart> parts = node.parts(request.name(), request.tenure(), request.mode());
        CompletionStage<Boolean> held = CompletableFuture.completedStage(true);
        for (KeyPart part : parts) {
            held = held.thenCompose(all ->
                    all ? atKey(part, node, request.name(), request.lease()) : CompletableFuture.completedStage(false));
        }
        return held.thenApply(
                all -> all ? new Renew.Renewed(request.lease(), 1, Optional.empty(), time) : new Renew.Lost());
    }

    /**
     * Releases a hold, without serving the wait queue. A tenure that is not held may have a position in the queue. That can only
     * be withdrawn when the migration is complete, so the request then fails with the original error.
     */
    CompletionStage<Release.Reply> release(RedisStore node, Release request, Throwable refusal) {
        long time = timeAt(node, request.name());
        List<KeyPart> parts = node.parts(request.name(), request.tenure(), request.mode());
        KeyPart hold = parts.stream().filter(KeyPart::isHold).findFirst().orElseThrow();
        return atKey(hold, node, request.name(), Duration.ZERO)
                .thenCompose(held -> held ? rest(parts, node, request.name()) : CompletableFuture.failedStage(refusal))
                .thenApply(done -> new Release.Reply(true, 0, time));
    }

    /** Releases the parts other than the hold. A part that remains after a failure has no effect, and expires. */
    private CompletionStage<?> rest(List<KeyPart> parts, RedisStore node, String name) {
        return Stages.all(parts.stream()
                .filter(part -> !part.isHold())
                .map(part -> atKey(part, node, name, Duration.ZERO).exceptionally(error -> false)));
    }

    /**
     * Returns the time of the node, as known before the request. The reply may come from another node, which has another clock.
     */
    private long timeAt(RedisStore node, String name) {
        return node.clock(name).notAfter(platform.nanoTime(), Duration.ZERO);
    }

    /** Runs the script at the node that has the key: the given node, or the node that imports the slot. */
    private CompletionStage<Boolean> atKey(KeyPart part, RedisStore node, String name, Duration lease) {
        return node.byKey(part, name, lease, false).exceptionallyCompose(error -> {
            Optional<Redirect> ask = Redirect.in(error).filter(redirect -> redirect.kind == Redirect.Kind.ASK);
            return ask.isEmpty()
                    ? CompletableFuture.failedStage(error)
                    : nodes.askTarget(ask.get().hostOr(node.host()), ask.get().port)
                            .thenCompose(target -> target.byKey(part, name, lease, true));
        });
    }
}
