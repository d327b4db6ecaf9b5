package io.holdfast.internal.lock;

import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.slot.Hold;
import io.holdfast.internal.slot.HoldSpec;
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
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous acquire: one request with a waiter on one side and a future on the other.
 *
 * <ol>
 *   <li>The waiter and the future end together, whichever ends first.
 *   <li>A grant that the future no longer accepts is released. So no grant is left without an owner (orphan).
 *   <li>A grant whose lease has ended is released and requested again, while there is time.
 *   <li>An attempt starts only after the outcome of the one before.
 * </ol>
 */
public final class AsyncAcquisition<H extends LeaseHandle, T> {

    private final CompletableFuture<T> future = new CompletableFuture<>();
    private final ClientParts client;
    private final Executor told;
    private final Supplier<H> handles;
    private final HoldSpec wanted;
    private final Function<H, T> got;
    private final Optional<T> busy;
    private final long began;
    private final @Nullable String place;
    private final boolean waits;
    private long deadline;
    private boolean graceGiven;
    private int late;

    /**
     * Creates a request, which is not sent yet.
     *
     * @param told the executor that completes the future
     * @param handles creates the handle that is bound to the hold
     * @param busy the result if the lock is held; empty to fail with a timeout
     */
    public AsyncAcquisition(
            ClientParts client,
            Executor told,
            Supplier<H> handles,
            HoldSpec wanted,
            long wait,
            Function<H, T> got,
            Optional<T> busy) {
        this.client = client;
        this.told = told;
        this.handles = handles;
        this.wanted = wanted;
        this.got = got;
        this.busy = busy;
        this.began = client.platform().nanoTime();
        this.place = client.waits().place();
        this.waits = wait > 0;
        this.deadline = wait == Durations.NEVER ? Durations.NEVER : began + Math.max(0, wait);
    }

    /** Leaves out the second attempt, which a non-waiting request makes if the lock may only be lingering. */
    AsyncAcquisition<H, T> withoutGrace() {
        graceGiven = true;
        return this;
    }

    public CompletableFuture<T> start() {
        new Attempt(began).start();
        return future;
    }

    /**
     * Delivers an outcome to the future. A hold that the future no longer accepts is released. A hold whose lease has ended is
     * released as well, and requested again while there is time.
     */
    private void deliver(H handle, Outcome outcome) {
        try {
            if (outcome instanceof Hold hold && !client.holds().validity().valid(hold) && !future.isDone()) {
                client.holds().releases().discardDoubtful(hold);
                again(handle.name());
            } else if (outcome instanceof Outcome.Busy busyWith && mayWaitAfterAll(busyWith)) {
                new Attempt(client.platform().nanoTime()).start();
            } else if (outcome instanceof Outcome.Busy busyWith) {
                busy.ifPresentOrElse(future::complete, () -> fail(handle.name(), busyWith));
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
    private void fail(String name, Outcome.Busy busyWith) {
        var unused =
                client.inspector().timeout(name, began, busyWith).thenAcceptAsync(future::completeExceptionally, told);
    }

    /**
     * Returns {@code true} if another attempt is to be made, with the grace period, because the lock may only be lingering.
     * Attempts follow each other, so the deadline is moved between two of them.
     */
    private boolean mayWaitAfterAll(Outcome.Busy busyWith) {
        if (waits || graceGiven || future.isDone() || !busyWith.mayBeKeptBeside(client.id())) {
            return false;
        }
        graceGiven = true;
        deadline = client.platform().nanoTime() + Acquisition.GRACE_NANOS;
        return true;
    }

    private H bound(H handle, Outcome outcome) {
        var unused = handle.bind(outcome);
        return handle;
    }

    private void again(String name) {
        long now = client.platform().nanoTime();
        boolean timeUp = deadline != Durations.NEVER && deadline - now <= 0;
        if (timeUp || (++late >= Acquisition.ATTEMPTS_AFTER_TIME && now - began >= client.outage())) {
            throw client.inspector().tooSlow(name, wanted);
        }
        new Attempt(now).start();
    }

    /** One waiter of the request. There is another one if a grant came too late, or for the grace period. */
    private final class Attempt {

        private final H handle = handles.get();
        private final Waiter waiter;
        private volatile Platform.Task timer = () -> {};

        Attempt(long now) {
            waiter = new Waiter(wanted, now, deadline, null, handle.reference(), this::told).from(place);
        }

        void start() {
            Slot slot = client.waits().arrive(handle.name(), waiter);
            try {
                wait(slot);
            } catch (Throwable e) {
                client.waits().forsake(slot, waiter);
                throw e;
            }
        }

        private void wait(Slot slot) {
            Awaiting.whenDone(future, () -> withdraw(slot));
            if (deadline != Durations.NEVER && waiter.outcome == null) {
                long wait = deadline - waiter.arrived;
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
