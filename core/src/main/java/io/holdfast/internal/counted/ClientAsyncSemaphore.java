package io.holdfast.internal.counted;

import io.holdfast.AsyncSemaphore;
import io.holdfast.Permit;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.lock.AsyncAcquisition;
import io.holdfast.internal.lock.Attempts;
import io.holdfast.internal.slot.HoldSpec;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The asynchronous face of a semaphore, which completes futures of permits. */
record ClientAsyncSemaphore(ClientSemaphore semaphore) implements AsyncSemaphore {

    @Override
    public CompletableFuture<Permit> acquire() {
        return acquire(1);
    }

    @Override
    public CompletableFuture<Permit> acquire(int permits) {
        return new AsyncAcquisition<PermitHandle, Permit>(
                        attempts(semaphore.wanting(permits), Durations.NEVER),
                        semaphore.client().tasks().callbacks(),
                        this::handle,
                        permit -> permit,
                        Optional.empty())
                .start();
    }

    @Override
    public CompletableFuture<Optional<Permit>> tryAcquire() {
        return take(semaphore.wanting(1), 0);
    }

    @Override
    public CompletableFuture<Optional<Permit>> tryAcquire(int permits, Duration wait) {
        return take(semaphore.wanting(permits), Durations.nanos(wait));
    }

    @Override
    public CompletableFuture<Optional<Permit>> tryAcquire(int permits, Duration wait, Duration lease) {
        return take(semaphore.wanting(permits, lease), Durations.nanos(wait));
    }

    @Override
    public CompletableFuture<Optional<Permit>> drain() {
        return take(semaphore.all(), 0);
    }

    private CompletableFuture<Optional<Permit>> take(HoldSpec wanted, long wait) {
        return new AsyncAcquisition<PermitHandle, Optional<Permit>>(
                        attempts(wanted, wait),
                        semaphore.client().tasks().callbacks(),
                        this::handle,
                        Optional::of,
                        Optional.of(Optional.empty()))
                .start();
    }

    private Attempts attempts(HoldSpec wanted, long wait) {
        return new Attempts(semaphore.client(), semaphore.name(), wanted, wait);
    }

    private PermitHandle handle() {
        return new PermitHandle(semaphore.client(), semaphore.name());
    }
}
