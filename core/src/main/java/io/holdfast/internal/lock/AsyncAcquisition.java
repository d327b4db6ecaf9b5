package io.holdfast.internal.lock;

import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.engine.Engine;
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

/** One request: a waiter on one side, a future on the other; whichever ends first ends both. */
public final class AsyncAcquisition<H extends LeaseHandle, T> {

    private final CompletableFuture<T> future = new CompletableFuture<>();
    private final Engine engine;
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
     * A request that is not sent yet.
     *
     * @param told where the future is completed
     * @param handles makes what is to be bound to the hold
     * @param busy what to complete with if it is held; empty to fail
     */
    public AsyncAcquisition(
            Engine engine,
            Executor told,
            Supplier<H> handles,
            HoldSpec wanted,
            long wait,
            Function<H, T> got,
            Optional<T> busy) {
        this.engine = engine;
        this.told = told;
        this.handles = handles;
        this.wanted = wanted;
        this.got = got;
        this.busy = busy;
        this.began = engine.platform.nanoTime();
        this.place = engine.callSites.here();
        this.waits = wait > 0;
        this.deadline = wait == Durations.NEVER ? Durations.NEVER : began + Math.max(0, wait);
    }

    /** The same, for one who has no time for a second attempt. */
    AsyncAcquisition<H, T> withoutGrace() {
        graceGiven = true;
        return this;
    }

    public CompletableFuture<T> start() {
        new Attempt(began).start();
        return future;
    }

    /** What was granted to nobody is given back; what came after its lease, too, and is asked for again in time. */
    private void deliver(H handle, Outcome outcome) {
        try {
            if (outcome instanceof Hold hold && !engine.holds.valid(hold) && !future.isDone()) {
                engine.holds.discardDoubtful(hold);
                again(handle.lockName());
            } else if (outcome instanceof Outcome.Busy busyWith && mayWaitAfterAll(busyWith)) {
                new Attempt(engine.platform.nanoTime()).start();
            } else if (outcome instanceof Outcome.Busy busyWith) {
                busy.ifPresentOrElse(future::complete, () -> fail(handle.lockName(), busyWith));
            } else if (!future.complete(got.apply(bound(handle, outcome)))) {
                outcome.hold().ifPresent(engine.holds::discard);
            }
        } catch (Throwable e) {
            if (outcome instanceof Hold hold) {
                engine.holds.discard(hold);
            }
            future.completeExceptionally(e);
        }
    }

    /** The store is asked who is in the way; no thread that others need waits for its answer. */
    private void fail(String name, Outcome.Busy busyWith) {
        var unused = engine.inspector
                .timeoutLater(name, began, busyWith)
                .thenAcceptAsync(future::completeExceptionally, told);
    }

    /** One attempt follows the other, so that nobody else looks at the deadline meanwhile. */
    private boolean mayWaitAfterAll(Outcome.Busy busyWith) {
        if (waits || graceGiven || future.isDone() || !busyWith.mayBeKeptBeside(engine.clientId)) {
            return false;
        }
        graceGiven = true;
        deadline = engine.platform.nanoTime() + Acquisition.GRACE_NANOS;
        return true;
    }

    private H bound(H handle, Outcome outcome) {
        var unused = handle.bind(outcome);
        return handle;
    }

    private void again(String name) {
        long now = engine.platform.nanoTime();
        boolean timeUp = deadline != Durations.NEVER && deadline - now <= 0;
        if (timeUp || (++late >= Acquisition.ATTEMPTS_AFTER_TIME && now - began >= engine.config.outage())) {
            throw engine.inspector.tooSlow(name, wanted);
        }
        new Attempt(now).start();
    }

    /** A waiter of the request; there is a second one if the first grant came too late. */
    private final class Attempt {

        private final H handle = handles.get();
        private final Waiter waiter;
        private volatile Platform.Task timer = () -> {};

        Attempt(long now) {
            waiter = new Waiter(wanted, now, deadline, null, handle.reference(), this::told).from(place);
        }

        void start() {
            Slot slot = engine.arrive(handle.lockName(), waiter);
            try {
                wait(slot);
            } catch (Throwable e) {
                engine.forsake(slot, waiter);
                throw e;
            }
        }

        private void wait(Slot slot) {
            Awaiting.whenDone(future, () -> withdraw(slot));
            if (deadline != Durations.NEVER && waiter.outcome == null) {
                long wait = deadline - waiter.arrived;
                timer = engine.timers.run(
                        wait, () -> engine.event(slot, (s, out) -> s.timeOut(waiter, engine.platform.nanoTime(), out)));
            }
        }

        private void told() {
            timer.cancel();
            told.execute(() -> deliver(handle, Objects.requireNonNull(waiter.outcome)));
        }

        /** The future ended: cancelled, completed from outside, or by us, when there is nothing to withdraw. */
        private void withdraw(Slot slot) {
            timer.cancel();
            if (waiter.outcome == null) {
                engine.event(slot, (s, out) -> s.withdraw(waiter, engine.platform.nanoTime(), out));
            }
        }
    }
}
