package io.holdfast.reactor;

import io.holdfast.LeaseLostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The requests for the leases of one kind, and the operations of such a lease.
 *
 * @param <L> the type of the leases
 */
interface Grants<L> {

    /** Returns a request that waits without a time limit. */
    Request<?, L> acquire();

    /** Returns a request that fails with a timeout if others hold the lock for the whole time. */
    Request<?, L> acquire(Duration wait);

    /** Returns a request that ends empty if others hold the lock for the whole time. */
    Request<?, L> tryAcquire(Duration wait);

    /** Releases the lease without waiting. */
    CompletableFuture<Void> close(L lease);

    /** Registers an action for the loss of the lease. */
    void onLost(L lease, Consumer<LeaseLostException> action);
}
