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
 * An asynchronous acquire: one request with a waiter on one side and a future on the other.
 *
 * <ol>
 *   <li>The waiter and the future end together, whichever ends first.
 *   <li>A grant that the future no longer accepts is released. So no grant is left without an owner (orphan).
 *   <li>{@link Attempts} decides which outcome counts. An attempt starts only after the outcome of the one before.
 * </ol>
 */
public final class AsyncAcquisition<H extends LeaseHandle, T> {

    private final CompletableFuture<T> future = new CompletableFuture<>();
    private final ClientParts client;
    private final Executor told;
    private final Supplier<H> handles;
    private final Attempts attempts;
    private final Function<H, T> got;
    private final Optional<T> busy;

    /**
     * Creates a request, which is not sent yet.
     *
     * @param attempts the attempts, of which none was made
     * @param told the executor that completes the future
     * @param handles creates the handle that is bound to the hold
     * @param busy the result if the lock is held; empty to fail with a timeout
     */
    public AsyncAcquisition(
            Attempts attempts, Executor told, Supplier<H> handles, Function<H, T> got, Optional<T> busy) {
        this.client = attempts.client;
        this.attempts = attempts;
        this.told = told;
        this.handles = handles;
        this.got = got;
        this.busy = busy;
    }

    public CompletableFuture<T> start() {
        new Attempt().start();
        return future;
    }

    /** Delivers an outcome to the future, or makes another attempt. A hold that the future no longer accepts is released. */
    private void deliver(H handle, Outcome outcome) {
        try {
            if (!future.isDone() && attempts.goOn(outcome)) {
                new Attempt().start();
            } else if (outcome instanceof Outcome.Busy busyWith) {
                busy.ifPresentOrElse(future::complete, () -> fail(busyWith));
            } else if (!future.complete(got.apply(bound(handle, outcome)))) {
                outcome.hold().ifPresent(client.holds().releases()::discard);
            }
        } catch (Throwable e) {
            if (outcome instanceof Hold hold) {
                client.holds().releases().discard(hold);
            }
            future.completeExceptionally(e);
        }
    }

    /**
     * Fails the future with a timeout, after asking the store who holds the lock. No thread that others need waits for the
     * answer.
     */
    private void fail(Outcome.Busy busyWith) {
        var error = client.inspector().timeout(attempts.name, attempts.began, busyWith);
        var unused = error.thenAcceptAsync(future::completeExceptionally, told);
    }

    private H bound(H handle, Outcome outcome) {
        var unused = handle.bind(outcome);
        return handle;
    }

    /** One waiter of the request. There is another one if a grant came too late, or for the grace period. */
    private final class Attempt {

        private final H handle = handles.get();
        private final Waiter waiter;
        private volatile Platform.Task timer = () -> {};

        Attempt() {
            waiter = attempts.next(null, handle.reference(), this::told);
        }

        void start() {
            Slot slot = client.waits().arrive(attempts.name, waiter);
            try {
                wait(slot);
            } catch (Throwable e) {
                client.waits().cancel(slot, waiter);
                throw e;
            }
        }

        private void wait(Slot slot) {
            Awaiting.whenDone(future, () -> withdraw(slot));
            if (waiter.deadline != Durations.NEVER && waiter.outcome == null) {
                long wait = waiter.deadline - waiter.arrived;
                timer = client.tasks().run(wait, () -> client.waits().timeOut(slot, waiter));
            }
        }

        private void told() {
            timer.cancel();
            told.execute(() -> deliver(handle, Objects.requireNonNull(waiter.outcome)));
        }

        /**
         * Withdraws the waiter because the future ended. It was canceled, completed from outside, or completed by this class;
         * in the last case there is nothing to withdraw.
         */
        private void withdraw(Slot slot) {
            timer.cancel();
            if (waiter.outcome == null) {
                client.waits().withdraw(slot, waiter);
            }
        }
    }
}
