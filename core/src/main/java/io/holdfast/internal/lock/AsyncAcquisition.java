package io.holdfast.internal.lock;

import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.slot.Hold;
import io.holdfast.internal.slot.Outcome;
import io.holdfast.internal.slot.Slot;
import io.holdfast.internal.slot.Waiter;
import io.holdfast.spi.Platform;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * An asynchronous acquire: a waiter whose outcome completes a future.
 *
 * <ol>
 *   <li>The waiter and the future end together. If the future ends first, the waiter is withdrawn.
 *   <li>A grant that the future no longer accepts is released. So no grant is left without an owner (orphan).
 *   <li>{@link Attempts} decides which outcome counts. An attempt starts only after the outcome of the one before.
 * </ol>
 */
public final class AsyncAcquisition<H extends LeaseHandle, T> {

    private final CompletableFuture<T> future = new CompletableFuture<>();
    private final ClientParts client;
    private final Executor executor;
    private final Supplier<H> newHandle;
    private final Attempts attempts;
    private final Function<H, T> toResult;
    private final Optional<T> ifBusy;

    /**
     * Creates a request, which is not sent yet.
     *
     * @param attempts the attempts, none of which has started
     * @param executor the executor that completes the future
     * @param newHandle creates the handle that is bound to the hold
     * @param toResult converts the bound handle to the result
     * @param ifBusy the result if the lock is held; empty to fail with a timeout
     */
    public AsyncAcquisition(
            Attempts attempts, Executor executor, Supplier<H> newHandle, Function<H, T> toResult, Optional<T> ifBusy) {
        this.client = attempts.client;
        this.attempts = attempts;
        this.executor = executor;
        this.newHandle = newHandle;
        this.toResult = toResult;
        this.ifBusy = ifBusy;
    }

    /** Starts the first attempt, and returns the future of the result. Completing or canceling it withdraws the request. */
    public CompletableFuture<T> start() {
        try {
            new Attempt().start();
            return future;
        } catch (Throwable e) {
            attempts.observed.failed(e);
            throw e;
        }
    }

    /**
     * Completes the future with an outcome, or makes another attempt. A hold that the future no longer accepts is released.
     */
    private void deliver(H handle, Outcome outcome) {
        try {
            if (!future.isDone() && attempts.prepareRetry(outcome)) {
                new Attempt().start();
                return;
            }
            if (future.isDone()) {
                attempts.observed.withdrawn();
            }
            attempts.observed.ended(outcome);
            if (outcome instanceof Outcome.Busy busy) {
                ifBusy.ifPresentOrElse(future::complete, () -> failWithTimeout(busy));
            } else if (!future.complete(toResult.apply(bound(handle, outcome)))) {
                outcome.hold().ifPresent(client.holds().releases()::discard);
            }
        } catch (Throwable e) {
            if (outcome instanceof Hold hold) {
                client.holds().releases().discard(hold);
            }
            attempts.observed.failed(e);
            future.completeExceptionally(e);
        }
    }

    /**
     * Asks the store for the holder of the lock, and then fails the future with a timeout. No thread blocks until the answer
     * arrives.
     */
    private void failWithTimeout(Outcome.Busy busy) {
        var error = client.inspector().timeout(attempts.name, attempts.startNanos, busy);
        var unused = error.thenAcceptAsync(future::completeExceptionally, executor);
    }

    private H bound(H handle, Outcome outcome) {
        var unused = handle.bind(outcome);
        return handle;
    }

    /** One attempt with a waiter of its own. Another attempt follows if a grant came too late, or for the grace period. */
    private final class Attempt {

        private final H handle = newHandle.get();
        private final Waiter waiter;
        private volatile Platform.Task timer = () -> {};

        Attempt() {
            waiter = attempts.next(null, handle.reference(), this::onNotified);
        }

        void start() {
            Slot slot = client.waits().arrive(attempts.name, waiter);
            try {
                limitWait(slot);
            } catch (Throwable e) {
                client.waits().cancel(slot, waiter);
                throw e;
            }
        }

        /** Ends the wait when the future ends, and at the deadline. */
        private void limitWait(Slot slot) {
            Awaiting.whenDone(future, () -> withdraw(slot));
            if (waiter.deadline != Durations.NEVER && waiter.outcome == null) {
                long wait = waiter.deadline - waiter.arrived;
                timer = client.tasks().run(wait, () -> client.waits().timeOut(slot, waiter));
                if (waiter.outcome != null || future.isDone()) {
                    // race: it has ended before it could cancel the timer
                    timer.cancel();
                }
            }
        }

        private void onNotified() {
            timer.cancel();
            executor.execute(() -> deliver(handle, Objects.requireNonNull(waiter.outcome)));
        }

        /**
         * Withdraws the waiter because the future ended: it was canceled, or completed by its user. If this class completed it,
         * there is nothing to withdraw.
         */
        private void withdraw(Slot slot) {
            timer.cancel();
            if (waiter.outcome == null && client.waits().withdraw(slot, waiter)) {
                attempts.observed.withdrawn();
            }
        }
    }
}
