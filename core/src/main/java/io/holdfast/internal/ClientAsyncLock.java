package io.holdfast.internal;

import io.holdfast.AsyncLock;
import io.holdfast.Lease;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The lease face with futures. */
record ClientAsyncLock(Engine engine, String name, Term term) implements AsyncLock {

    @Override
    public CompletableFuture<Lease> acquire() {
        return new Request<Lease>(term, Tenure.NEVER, lease -> lease, Optional.empty()).start();
    }

    @Override
    public CompletableFuture<Lease> acquire(Duration wait) {
        return new Request<Lease>(term, Durations.nanos(wait), lease -> lease, Optional.empty()).start();
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquire() {
        return new Request<Optional<Lease>>(term, 0, Optional::of, Optional.of(Optional.empty())).start();
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquire(Duration wait) {
        return new Request<Optional<Lease>>(term, Durations.nanos(wait), Optional::of, Optional.of(Optional.empty()))
                .start();
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquire(Duration wait, Duration lease) {
        Term own = term.ending(Durations.requireLease("lock '" + name + "': lease", lease));
        return new Request<Optional<Lease>>(own, Durations.nanos(wait), Optional::of, Optional.of(Optional.empty()))
                .start();
    }

    /** One request: a waiter on one side, a future on the other; whichever ends first ends both. */
    private final class Request<T> {

        private final CompletableFuture<T> future = new CompletableFuture<>();
        private final Term wanted;
        private final Function<LeaseHandle, T> got;
        private final Optional<T> busy;
        private final long began = engine.platform.nanoTime();
        private final long deadline;

        /** @param busy what to complete with if it is held; empty to fail */
        Request(Term wanted, long wait, Function<LeaseHandle, T> got, Optional<T> busy) {
            this.wanted = wanted;
            this.got = got;
            this.busy = busy;
            this.deadline = wait == Tenure.NEVER ? Tenure.NEVER : began + Math.max(0, wait);
        }

        CompletableFuture<T> start() {
            new Attempt(this, began).start();
            return future;
        }

        /** What was granted to nobody is given back; what came after its lease, too, and is asked for again in time. */
        void deliver(LeaseHandle handle, Outcome outcome) {
            try {
                if (outcome instanceof Hold hold && !engine.owners.valid(hold) && !future.isDone()) {
                    engine.owners.discard(hold);
                    again();
                } else if (outcome instanceof Outcome.Busy busyWith) {
                    future.complete(busy.orElseThrow(() -> engine.inquiries.timeout(name, began, busyWith)));
                } else if (!future.complete(got.apply(handle.bind(outcome)))) {
                    outcome.hold().ifPresent(engine.owners::discard);
                }
            } catch (RuntimeException e) {
                future.completeExceptionally(e);
            }
        }

        private void again() {
            long now = engine.platform.nanoTime();
            if (deadline != Tenure.NEVER && deadline - now <= 0) {
                throw engine.inquiries.tooSlow(name, wanted);
            }
            new Attempt(this, now).start();
        }
    }

    /** A waiter of a request; there is a second one if the first grant came too late. */
    private final class Attempt {

        private final Request<?> request;
        private final LeaseHandle handle = new LeaseHandle(engine, name);
        private final Waiter waiter;
        private volatile Platform.Task timer = () -> {};

        Attempt(Request<?> request, long now) {
            this.request = request;
            waiter = new Waiter(request.wanted, now, request.deadline, null, handle.reference(), this::told);
        }

        void start() {
            Slot slot = engine.arrive(name, waiter);
            Awaiting.whenDone(request.future, () -> withdraw(slot));
            if (request.deadline != Tenure.NEVER && waiter.outcome == null) {
                long wait = request.deadline - waiter.arrived;
                timer = engine.later.run(
                        wait, () -> engine.event(slot, (s, out) -> s.timeOut(waiter, engine.platform.nanoTime(), out)));
            }
        }

        private void told() {
            timer.cancel();
            engine.threads.callbacks().execute(() -> request.deliver(handle, Objects.requireNonNull(waiter.outcome)));
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
