package io.holdfast.reactor;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * A request for a lease, which each subscription starts anew.
 *
 * @param start sends the request
 * @param lease finds the lease in the result of the request; empty if the lock is held by another owner
 * @param ifBusy the signal for the subscriber if the lock is held by another owner
 * @param <R> the result of the request
 * @param <L> the type of the lease
 */
record Request<R, L>(Supplier<CompletableFuture<R>> start, Function<R, Optional<L>> lease, Mono<L> ifBusy) {

    /** Returns a request that always ends with a lease or an error. */
    static <L> Request<L, L> certain(Supplier<CompletableFuture<L>> start) {
        return new Request<>(start, Optional::of, Mono.empty());
    }

    /** Returns a request that ends empty if the lock is held by another owner. */
    static <L> Request<Optional<L>, L> attempt(Supplier<CompletableFuture<Optional<L>>> start) {
        return new Request<>(start, Function.identity(), Mono.empty());
    }
}
