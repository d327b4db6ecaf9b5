package io.holdfast.reactor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Sinks;

/**
 * The lease of one subscription, from the request to the release.
 *
 * <ol>
 *   <li>The future of the request decides a race between the grant and the end of the subscription. It is either canceled,
 *       which withdraws the request, or it completes with a lease, which the end of the subscription then closes. So no lease
 *       is left without an owner (orphan).
 *   <li>The lease is closed once, by the first {@link #release}.
 * </ol>
 *
 * @param <R> the result of the request
 * @param <L> the type of the lease
 */
final class LeaseOfSubscription<R, L> {

    private final Grants<L> grants;
    private final Request<R, L> request;

    /** The future that {@link #pending} refers to after the release. */
    private final CompletableFuture<R> released = new CompletableFuture<>();

    /** The future of the request that was started and is not released. */
    private final AtomicReference<@Nullable CompletableFuture<R>> pending = new AtomicReference<>();

    LeaseOfSubscription(Grants<L> grants, Request<R, L> request) {
        this.grants = grants;
        this.request = request;
    }

    /** Acquires the lease, runs the body, and releases the lease. A cancel starts the release, and does not wait for it. */
    static <R, L, T> Flux<T> run(
            Grants<L> grants, Request<R, L> request, Function<? super L, ? extends Publisher<? extends T>> body) {
        return Flux.usingWhen(
                Mono.fromSupplier(() -> new LeaseOfSubscription<>(grants, request)),
                acquisition -> acquisition.<T>run(body),
                acquisition -> Mono.empty(),
                LeaseOfSubscription::releaseAfter,
                LeaseOfSubscription::release);
    }

    private <T> Flux<T> run(Function<? super L, ? extends Publisher<? extends T>> body) {
        return lease().flatMapMany(lease -> this.<T>guarded(lease, body))
                .concatWith(release().then(Mono.empty()));
    }

    /** Starts the request, and emits its lease. */
    Mono<L> lease() {
        return Mono.defer(this::started)
                .flatMap(result ->
                        Mono.justOrEmpty(request.lease().apply(result)).switchIfEmpty(request.ifBusy()));
    }

    /** Starts the request. The subscription may end in this moment, and its release then finds no request to withdraw. */
    private Mono<R> started() {
        CompletableFuture<R> future = request.start().get();
        if (pending.compareAndSet(null, future)) {
            return Mono.fromFuture(future, true);
        }
        var unused = end(future);
        return Mono.empty();
    }

    /**
     * Cancels the body when the lease is lost, and fails with the loss. The loss ends the body as a completion, because an
     * error of the other publisher would not cancel it. The loss is reported even if the body has closed the lease.
     */
    private <T> Flux<T> guarded(L lease, Function<? super L, ? extends Publisher<? extends T>> body) {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Sinks.Empty<Void> end = Sinks.empty();
        Consumer<Throwable> fail = error -> {
            failure.set(error);
            var unused = end.tryEmitEmpty();
        };
        grants.onLost(lease, fail::accept);
        return Flux.<T>from(subscriber -> subscribe(lease, body, subscriber, fail))
                .takeUntilOther(end.asMono())
                .concatWith(Mono.defer(() -> failed(failure.get())));
    }

    private static <T> Mono<T> failed(@Nullable Throwable failure) {
        return failure == null ? Mono.empty() : Mono.error(failure);
    }

    /**
     * Subscribes to the body. Reactor rethrows an error that it considers fatal, such as a missing class, instead of passing it
     * to the subscriber. The lease would then be held and renewed without an owner (orphan), so the error ends it. The subscriber
     * itself may have thrown it, and cannot be notified then. So a fatal error is also reported as dropped.
     */
    private <T> void subscribe(
            L lease,
            Function<? super L, ? extends Publisher<? extends T>> body,
            Subscriber<? super T> subscriber,
            Consumer<Throwable> fail) {
        try {
            body.apply(lease).subscribe(subscriber);
        } catch (Throwable e) {
            fail.accept(e);
            if (Exceptions.isFatal(e)) {
                var unused = release().subscribe();
                Operators.onErrorDropped(
                        e, Operators.toCoreSubscriber(subscriber).currentContext());
            }
        }
    }

    // ---- the end

    /** Withdraws the request or closes the lease. Completes with the failure of the release. */
    Mono<Void> release() {
        return Mono.defer(() -> Mono.fromFuture(end(pending.getAndSet(released)), true));
    }

    /** Releases after an error. A failure of the release is suppressed in that error. */
    private Mono<Void> releaseAfter(Throwable error) {
        return release().onErrorResume(failure -> {
            if (failure != error) {
                error.addSuppressed(failure);
            }
            return Mono.empty();
        });
    }

    private CompletableFuture<Void> end(@Nullable CompletableFuture<R> future) {
        if (future == null || future == released || future.cancel(false) || future.isCompletedExceptionally()) {
            return CompletableFuture.completedFuture(null);
        }
        return request.lease()
                .apply(future.join())
                .map(grants::close)
                .orElseGet(() -> CompletableFuture.completedFuture(null));
    }
}
