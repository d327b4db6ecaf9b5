package io.holdfast.reactor;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.DistributedSemaphore;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.Permit;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** Permits of a semaphore, a given number as one lease. */
record PermitGrants(DistributedSemaphore semaphore, int permits) implements Grants<Permit> {

    @Override
    public Request<?, Permit> acquire() {
        return Request.certain(() -> semaphore.async().acquire(permits));
    }

    @Override
    public Request<?, Permit> acquire(Duration wait) {
        return new Request<>(
                () -> semaphore.async().tryAcquire(permits, wait),
                Function.identity(),
                Mono.error(() -> timedOut(wait)));
    }

    private LockTimeoutException timedOut(Duration wait) {
        return new LockTimeoutException(
                semaphore.name(),
                "semaphore " + quoted(semaphore.name()) + ": " + permits + " permit(s) were not acquired within "
                        + wait.toMillis() + " ms, because others held too many");
    }

    @Override
    public Request<?, Permit> tryAcquire(Duration wait) {
        return Request.attempt(() -> semaphore.async().tryAcquire(permits, wait));
    }

    @Override
    public CompletableFuture<Void> close(Permit permit) {
        return permit.closeAsync();
    }

    @Override
    public void onLost(Permit permit, Consumer<LeaseLostException> action) {
        permit.onLost(action);
    }
}
