package io.holdfast.internal;

import io.holdfast.AsyncLock;
import io.holdfast.Lease;
import java.time.Duration;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The lease face with futures. */
final class ClientAsyncLock implements AsyncLock {

    private final Engine engine;
    private final String name;
    private final Term term;

    ClientAsyncLock(Engine engine, String name, Term term) {
        this.engine = engine;
        this.name = name;
        this.term = term;
    }

    @Override
    public CompletableFuture<Lease> acquire() {
        return new Request<Lease>(term, Tenure.NEVER, Optional::orElseThrow).start();
    }

    @Override
    public CompletableFuture<Lease> acquire(Duration wait) {
        return new Request<Lease>(term, Durations.nanos(wait), Optional::orElseThrow).start();
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquire() {
        return new Request<Optional<Lease>>(term, 0, lease -> lease).start();
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquire(Duration wait) {
        return new Request<Optional<Lease>>(term, Durations.nanos(wait), lease -> lease).start();
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquire(Duration wait, Duration lease) {
        Term own = term.ending(Durations.requireLease(lease));
        return new Request<Optional<Lease>>(own, Durations.nanos(wait), got -> got).start();
    }

    /** One request: a waiter on one side, a future on the other; whichever ends first ends both. */
    private final class Request<T> {

        private final CompletableFuture<T> future = new CompletableFuture<>();
        private final LeaseHandle handle = new LeaseHandle(engine, name);
        private final Function<Optional<Lease>, T> result;
        private final Waiter waiter;
        private final long began = engine.platform.nanoTime();

        Request(Term wanted, long wait, Function<Optional<Lease>, T> result) {
            long deadline = wait == Tenure.NEVER ? Tenure.NEVER : began + Math.max(0, wait);
            this.result = result;
            this.waiter = Waiter.called(
                    wanted,
                    began,
                    deadline,
                    handle.reference(),
                    () -> engine.callbacks().execute(this::deliver));
        }

        CompletableFuture<T> start() {
            KeySlot slot = engine.arrive(name, waiter);
            Awaiting.whenDone(future, () -> withdraw(slot));
            if (waiter.deadline != Tenure.NEVER && waiter.deadline != waiter.arrived) {
                engine.later.run(waiter.deadline - began, () -> timeOut(slot));
            }
            return future;
        }

        private void timeOut(KeySlot slot) {
            engine.event(slot, (s, out) -> s.timeOut(waiter, engine.platform.nanoTime(), out));
        }

        /** The future ended: cancelled, completed from outside, or by us, when there is nothing to withdraw. */
        private void withdraw(KeySlot slot) {
            if (waiter.outcome == null) {
                engine.event(slot, (s, out) -> s.withdraw(waiter, engine.platform.nanoTime(), out));
            }
        }

        private void deliver() {
            Outcome outcome = Objects.requireNonNull(waiter.outcome);
            if (outcome instanceof Hold hold && !engine.owners.valid(hold)) {
                engine.owners.discard(hold);
                future.completeExceptionally(engine.inquiries.tooSlow(name, waiter.term));
            } else if (outcome instanceof Hold hold && future.isDone()) {
                engine.owners.discard(hold);
            } else {
                complete(outcome);
            }
        }

        private void complete(Outcome outcome) {
            try {
                Optional<Lease> lease = handle.bind(outcome);
                if (!future.complete(result.apply(lease)) && outcome instanceof Hold hold) {
                    engine.owners.discard(hold);
                }
            } catch (NoSuchElementException none) {
                future.completeExceptionally(engine.inquiries.timeout(name, began, (Outcome.Busy) outcome));
            } catch (RuntimeException e) {
                future.completeExceptionally(e);
            }
        }
    }
}
