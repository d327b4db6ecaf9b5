package io.holdfast.reactor;

import io.holdfast.AsyncLock;
import io.holdfast.LeaseLostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The leases of a lock.
 *
 * @param closing releases a lease
 * @param watching registers an action for the loss of a lease
 */
record LockGrants<L>(
        AsyncLock<L> lock,
        Function<L, CompletableFuture<Void>> closing,
        BiConsumer<L, Consumer<LeaseLostException>> watching)
        implements Grants<L> {

    @Override
    public Request<?, L> acquire() {
        return Request.certain(lock::acquire);
    }

    @Override
    public Request<?, L> acquire(Duration wait) {
        return Request.certain(() -> lock.acquire(wait));
    }

    @Override
    public Request<?, L> tryAcquire(Duration wait) {
        return Request.attempt(() -> lock.tryAcquire(wait));
    }

    @Override
    public CompletableFuture<Void> close(L lease) {
        return closing.apply(lease);
    }

    @Override
    public void onLost(L lease, Consumer<LeaseLostException> action) {
        watching.accept(lease, action);
    }
}
