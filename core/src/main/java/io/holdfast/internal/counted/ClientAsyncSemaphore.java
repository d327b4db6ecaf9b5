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
                        attempts(semaphore.specFor(permits), Durations.NEVER),
                        semaphore.client().tasks().callbacks(),
                        this::handle,
                        permit -> permit,
                        Optional.empty())
                .start();
    }

    @Override
    public CompletableFuture<Optional<Permit>> tryAcquire() {
        return tryAcquire(semaphore.specFor(1), 0);
    }

    @Override
    public CompletableFuture<Optional<Permit>> tryAcquire(int permits, Duration wait) {
        return tryAcquire(semaphore.specFor(permits), Durations.nanos(wait));
    }

    @Override
    public CompletableFuture<Optional<Permit>> tryAcquire(int permits, Duration wait, Duration lease) {
        return tryAcquire(semaphore.specFor(permits, lease), Durations.nanos(wait));
    }

    @Override
    public CompletableFuture<Optional<Permit>> drain() {
        return tryAcquire(semaphore.specForAll(), 0);
    }

    private CompletableFuture<Optional<Permit>> tryAcquire(HoldSpec spec, long wait) {
        return new AsyncAcquisition<PermitHandle, Optional<Permit>>(
                        attempts(spec, wait),
                        semaphore.client().tasks().callbacks(),
                        this::handle,
                        Optional::of,
                        Optional.of(Optional.empty()))
                .start();
    }

    private Attempts attempts(HoldSpec spec, long wait) {
        return new Attempts(semaphore.client(), semaphore.name(), spec, wait);
    }

    private PermitHandle handle() {
        return new PermitHandle(semaphore.client(), semaphore.name());
    }
}
