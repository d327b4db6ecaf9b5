package io.holdfast.redis.cluster;

import io.holdfast.redis.connection.Redirect;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request that is sent to the node that has its slot. It follows redirections until a node has executed it, or the time is
 * up.
 *
 * <p>Invariant: only the first node receives the original request, whose {@code notAfter} is a time of its clock. Every other
 * node receives the {@code substitute}, no matter whether a redirection led there or the slot moved during a pause.
 *
 * @param <N> the type of a node
 * @param <T> the type of the result
 */
final class RoutedRequest<N, T> {

    /** The knowledge about the nodes that may have a slot. */
    interface Route<N> {

        /** Returns the node that has the slot; empty if no node is known to. */
        Optional<N> node();

        /** Asks the nodes which slots they have. */
        CompletionStage<Void> refresh();

        /** Returns the failure of a request for a slot that no node has. */
        RuntimeException uncovered();

        /** Records that a node has redirected the slot. */
        CompletionStage<Void> moved(N from, Redirect redirect);

        /** Completes after a short time. A migrating slot needs a pause. */
        CompletionStage<Void> pause();

        /** Returns {@code true} if a redirected request fails: the time for further attempts is up, or its caller repeats it. */
        boolean isOver(Redirect redirect);
    }

    private final Route<N> route;
    private final Function<N, CompletionStage<T>> request;
    private final Function<N, CompletionStage<T>> substitute;
    private @Nullable N first;
    private boolean refreshed;
    private boolean moved;

    RoutedRequest(Route<N> route, Function<N, CompletionStage<T>> request, Function<N, CompletionStage<T>> substitute) {
        this.route = route;
        this.request = request;
        this.substitute = substitute;
    }

    CompletionStage<T> run() {
        Optional<N> node = route.node();
        return node.isPresent() ? send(node.get()) : findNode();
    }

    private CompletionStage<T> send(N node) {
        if (first == null) {
            first = node;
        }
        return (node == first ? request : substitute).apply(node).exceptionallyCompose(error -> failed(node, error));
    }

    private CompletionStage<T> findNode() {
        if (refreshed) {
            return CompletableFuture.failedStage(route.uncovered());
        }
        refreshed = true;
        return route.refresh().thenCompose(nothing -> run());
    }

    private CompletionStage<T> failed(N node, Throwable error) {
        Optional<Redirect> redirect = Redirect.in(error);
        if (redirect.isEmpty() || route.isOver(redirect.get())) {
            return CompletableFuture.failedStage(error);
        }
        return follow(node, redirect.get()).thenCompose(nothing -> run());
    }

    private CompletionStage<Void> follow(N node, Redirect redirect) {
        if (redirect.kind != Redirect.Kind.MOVED) {
            return route.pause();
        }
        boolean again = moved;
        moved = true;
        CompletionStage<Void> known = route.moved(node, redirect)
                // the node may answer after a pause
                .exceptionallyCompose(error -> route.pause());
        return again ? known.thenCompose(nothing -> route.pause()) : known;
    }
}
