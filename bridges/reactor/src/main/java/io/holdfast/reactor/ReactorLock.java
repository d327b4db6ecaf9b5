package io.holdfast.reactor;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.AsyncLock;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.Permit;
import io.holdfast.recipes.MultiLease;
import io.holdfast.recipes.MultiLock;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A lock for Project Reactor. It runs a reactive body while a lease is held.
 *
 * <pre>{@code
 * ReactorLock<Lease> lock = ReactorLock.of(holdfast.lock("orders/42"));
 * Mono<Receipt> receipt = lock.withLock(Duration.ofSeconds(10), lease -> ship(42, lease.fencingToken()));
 * }</pre>
 *
 * <p><strong>Each subscription</strong> acquires a lease of its own. Nothing is requested before the subscription. When the
 * lock is
 * <ul>
 *   <li>free: the lease is acquired, and the body is subscribed to;
 *   <li>held by another owner: {@code withLock} waits, at most for its wait argument. Then it fails with
 *       {@link LockTimeoutException}. {@code tryWithLock} completes empty instead;
 *   <li>held by another subscription of the same caller: the same, because each lease is an owner of its own. The lock is not
 *       reentrant;
 *   <li>in a store that does not answer: the subscription fails with the exception that {@link DistributedLock#acquire()}
 *       throws.
 * </ul>
 *
 * <p><strong>The end of the body</strong>, by completion or by error, releases the lease. The subscriber receives the last
 * signal when the release has ended, which takes at most the command timeout. If the release fails after the body has
 * completed, the subscription fails with that exception: {@link LeaseLostException} if the hold was lost. If it fails after an
 * error of the body, its exception is added to that error as suppressed.
 *
 * <p><strong>A cancel</strong> while waiting withdraws the request, and releases a grant that arrives in the same moment. A
 * cancel while the body runs cancels the body and starts the release. No signal reports the end of that release; Reactor logs
 * a failure. An operator that ends early, such as {@code take}, also cancels.
 *
 * <p><strong>A loss</strong> of the hold while the body runs cancels the body, and the subscription fails with
 * {@link LeaseLostException}. A {@code Mono} emits the result of its body only after the release has ended without an error. So
 * it never emits a result of a hold that is known to be lost. A {@code Flux} emits elements while the body runs, and reports a
 * loss when it ends: it never completes without an error after a loss. In both cases, the body may act for a moment after the
 * loss, so send {@link Lease#fencingToken} with each write.
 *
 * <p><strong>Threads.</strong> No method blocks, and no thread waits for the lock. The body is subscribed to on the client's
 * callback executor ({@link io.holdfast.HoldfastBuilder#callbackExecutor}), or on the subscribing thread if the lease has
 * arrived by then. The last signal arrives on the callback executor, or on the thread on which the body ended if the release
 * needs no answer. A loss cancels the body on the thread that also runs the actions of {@link Lease#onLost}, and its error
 * arrives there. Use {@code publishOn} before operators that block. {@link Lease#close}, {@link Lease#ensureValid} and
 * {@link Lease#extend} wait for the store, so call them only on threads that may block.
 *
 * <p><strong>A fatal error</strong>, such as a missing class, is rethrown by Reactor and not passed to the subscriber. If the
 * body throws it while it is created or subscribed to, the lease is released, and the subscription fails with it. If the body
 * throws it later, on another thread, nobody is notified, and the lease stays held; set {@link
 * io.holdfast.HoldfastBuilder#maxHold} to hear of it.
 *
 * <p>The Reactor context of the subscriber reaches the body. An object of this class is immutable, and any thread may use it.
 *
 * @param <L> the type of the leases: {@link Lease} for a {@link DistributedLock}
 */
public final class ReactorLock<L> {

    private final Grants<L> grants;

    private ReactorLock(Grants<L> grants) {
        this.grants = grants;
    }

    // ---- kinds of locks

    /** Returns the given lock for Reactor. */
    public static ReactorLock<Lease> of(DistributedLock lock) {
        return of(lock.async());
    }

    /** Returns the given multi-lock for Reactor. */
    public static ReactorLock<MultiLease> of(MultiLock lock) {
        return new ReactorLock<>(new LockGrants<>(lock.async(), MultiLease::closeAsync, MultiLease::onLost));
    }

    /** Returns the given lock for Reactor, such as a quorum lock. Its leases are of a type of {@link Lease}. */
    public static <L extends Lease> ReactorLock<L> of(AsyncLock<L> lock) {
        Objects.requireNonNull(lock, "lock");
        return new ReactorLock<>(new LockGrants<>(lock, Lease::closeAsync, Lease::onLost));
    }

    /**
     * Returns the given semaphore for Reactor. Each subscription acquires the given number of permits as one lease.
     *
     * @param permits the number of permits, at least 1
     * @throws IllegalArgumentException if the number is less than 1
     */
    public static ReactorLock<Permit> of(DistributedSemaphore semaphore, int permits) {
        if (permits < 1) {
            throw new IllegalArgumentException(
                    "semaphore " + quoted(semaphore.name()) + ": " + permits + " permits: pass at least 1");
        }
        return new ReactorLock<>(new PermitGrants(semaphore, permits));
    }

    // ---- one result

    /**
     * Runs the body while the lease is held, and emits its result. Waits for the lock for as long as it takes.
     *
     * @param body creates the work for a lease, which is released when the work ends
     */
    public <T> Mono<T> withLock(Function<? super L, ? extends Mono<? extends T>> body) {
        return this.<T>withLockMany(body).singleOrEmpty();
    }

    /**
     * Runs the body like {@link #withLock(Function)}, if the lock becomes free within the given time. Otherwise, the
     * {@code Mono} fails with {@link LockTimeoutException}.
     *
     * @param wait the maximum time to wait for the lock; zero or less means not to wait
     * @param body creates the work for a lease, which is released when the work ends
     */
    public <T> Mono<T> withLock(Duration wait, Function<? super L, ? extends Mono<? extends T>> body) {
        return this.<T>withLockMany(wait, body).singleOrEmpty();
    }

    /**
     * Runs the body like {@link #withLock(Function)}, if the lock is free now. Otherwise, the {@code Mono} completes empty.
     *
     * @param body creates the work for a lease; make it emit a value to distinguish its end from a lock that is held
     */
    public <T> Mono<T> tryWithLock(Function<? super L, ? extends Mono<? extends T>> body) {
        return tryWithLock(Duration.ZERO, body);
    }

    /**
     * Runs the body like {@link #withLock(Function)}, if the lock becomes free within the given time. Otherwise, the
     * {@code Mono} completes empty.
     *
     * @param wait the maximum time to wait for the lock; zero or less means not to wait
     * @param body creates the work for a lease; make it emit a value to distinguish its end from a lock that is held
     */
    public <T> Mono<T> tryWithLock(Duration wait, Function<? super L, ? extends Mono<? extends T>> body) {
        return this.<T>tryWithLockMany(wait, body).singleOrEmpty();
    }

    // ---- many results

    /**
     * Runs the body while the lease is held, and emits its elements. Waits for the lock for as long as it takes.
     *
     * @param body creates the work for a lease, which is released when the work ends
     */
    public <T> Flux<T> withLockMany(Function<? super L, ? extends Publisher<? extends T>> body) {
        return run(grants.acquire(), body);
    }

    /**
     * Runs the body like {@link #withLockMany(Function)}, if the lock becomes free within the given time. Otherwise, the
     * {@code Flux} fails with {@link LockTimeoutException}.
     *
     * @param wait the maximum time to wait for the lock; zero or less means not to wait
     * @param body creates the work for a lease, which is released when the work ends
     */
    public <T> Flux<T> withLockMany(Duration wait, Function<? super L, ? extends Publisher<? extends T>> body) {
        return run(grants.acquire(Objects.requireNonNull(wait, "wait")), body);
    }

    /**
     * Runs the body like {@link #withLockMany(Function)}, if the lock becomes free within the given time. Otherwise, the
     * {@code Flux} completes empty.
     *
     * @param wait the maximum time to wait for the lock; zero or less means not to wait
     * @param body creates the work for a lease, which is released when the work ends
     */
    public <T> Flux<T> tryWithLockMany(Duration wait, Function<? super L, ? extends Publisher<? extends T>> body) {
        return run(grants.tryAcquire(Objects.requireNonNull(wait, "wait")), body);
    }

    private <T> Flux<T> run(Request<?, L> request, Function<? super L, ? extends Publisher<? extends T>> body) {
        return LeaseOfSubscription.run(grants, request, Objects.requireNonNull(body, "body"));
    }
}
