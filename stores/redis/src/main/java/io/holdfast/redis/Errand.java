package io.holdfast.redis;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request, until a node has done it, or its time is over.
 *
 * <p>The request was made for the clock of one node, the first that it goes to. Any other node gets the request that is meant for
 * elsewhere, whether it was a redirection that led there or a slot that moved while the errand paused.
 *
 * @param <N> a node
 * @param <T> what comes of it
 */
final class Errand<N, T> {

    /** What is known of the nodes that may keep a slot. */
    interface Way<N> {

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

    private final Way<N> way;
    private final Function<N, CompletionStage<T>> request;
    private final Function<N, CompletionStage<T>> elsewhere;
    private @Nullable N first;
    private boolean looked;
    private boolean moved;

    Errand(Way<N> way, Function<N, CompletionStage<T>> request, Function<N, CompletionStage<T>> elsewhere) {
        this.way = way;
        this.request = request;
        this.elsewhere = elsewhere;
    }

    CompletionStage<T> run() {
        Optional<N> node = way.node();
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
            return CompletableFuture.failedStage(way.lost());
        }
        looked = true;
        return way.look().thenCompose(nothing -> run());
    }

    private CompletionStage<T> after(N node, Throwable error) {
        Optional<Redirect> redirect = Redirect.in(error);
        if (redirect.isEmpty() || way.isOver()) {
            return CompletableFuture.failedStage(error);
        }
        return follow(node, redirect.get()).thenCompose(nothing -> run());
    }

    private CompletionStage<Void> follow(N node, Redirect redirect) {
        if (redirect.kind != Redirect.Kind.MOVED) {
            return way.pause();
        }
        boolean again = moved;
        moved = true;
        CompletionStage<Void> known = way.moved(node, redirect)
                // who does not answer may do so in a moment
                .exceptionallyCompose(error -> way.pause());
        return again ? known.thenCompose(nothing -> way.pause()) : known;
    }
}
