package io.holdfast.redis.cluster;

import io.holdfast.redis.connection.Redirect;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request that is sent to the node that keeps its slot, and follows redirections until a node has done it or its time is over.
 *
 * <p>The request was made for the clock of one node, the first that it goes to. Any other node gets the request that is meant for
 * elsewhere, whether it was a redirection that led there or a slot that moved while the request paused.
 *
 * @param <N> a node
 * @param <T> what comes of it
 */
final class RoutedRequest<N, T> {

    /** What is known of the nodes that may keep a slot. */
    interface Route<N> {

        /** The node that keeps it, as far as is known. */
        Optional<N> node();

        /** Asks who keeps what. */
        CompletionStage<Void> look();

        /** The failure of a request for a slot that no node keeps. */
        RuntimeException lost();

        /** Notes where a node says that the slot is. */
        CompletionStage<Void> moved(N from, Redirect redirect);

        /** What is half way needs a moment. */
        CompletionStage<Void> pause();

        /** No more attempts are made. */
        boolean isOver();
    }

    private final Route<N> route;
    private final Function<N, CompletionStage<T>> request;
    private final Function<N, CompletionStage<T>> elsewhere;
    private @Nullable N first;
    private boolean looked;
    private boolean moved;

    RoutedRequest(Route<N> route, Function<N, CompletionStage<T>> request, Function<N, CompletionStage<T>> elsewhere) {
        this.route = route;
        this.request = request;
        this.elsewhere = elsewhere;
    }

    CompletionStage<T> run() {
        Optional<N> node = route.node();
        return node.isPresent() ? at(node.get()) : lost();
    }

    private CompletionStage<T> at(N node) {
        if (first == null) {
            first = node;
        }
        return (node == first ? request : elsewhere).apply(node).exceptionallyCompose(error -> after(node, error));
    }

    private CompletionStage<T> lost() {
        if (looked) {
            return CompletableFuture.failedStage(route.lost());
        }
        looked = true;
        return route.look().thenCompose(nothing -> run());
    }

    private CompletionStage<T> after(N node, Throwable error) {
        Optional<Redirect> redirect = Redirect.in(error);
        if (redirect.isEmpty() || route.isOver()) {
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
                // who does not answer may do so in a moment
                .exceptionallyCompose(error -> route.pause());
        return again ? known.thenCompose(nothing -> route.pause()) : known;
    }
}
