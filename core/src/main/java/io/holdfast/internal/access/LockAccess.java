package io.holdfast.internal.access;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The operations of a lock at one server that recipes use beside the public API. None of them blocks. */
public interface LockAccess {

    /** A lock that provides these operations. */
    interface Source {

        /** Returns the operations of the lock at its server. */
        LockAccess server();
    }

    /** Returns the operations of the client of the lock. */
    ClientAccess access();

    /** Returns the address of the server, for error texts and to distinguish servers. */
    String address();

    /** Returns the lease of a hold that is renewed. */
    Duration lease();

    /** Returns the longest time for which a hold can be relied on after it was granted for the given lease. */
    Duration validityOf(Duration lease);

    /** Returns the maximum duration of one call. */
    Duration commandTimeout();

    /** Returns {@code true} if the client is closed. */
    boolean isClosed();

    /**
     * Requests a lease once, without waiting until the lock is free. Canceling the future withdraws the request, and releases
     * what may have been granted. The future completes on a thread that may call the store, and that does not wait for users'
     * code.
     *
     * @param own the lease if it is not to be renewed; empty for a renewed lease
     * @throws IllegalStateException if the client is closed
     */
    CompletableFuture<Optional<Lease>> ask(Optional<Duration> own);

    /** Returns {@code true} if this client requests the lock now for another thread, which may be why others are refused. */
    boolean isBeingAsked();

    /** Runs a task after the delay, or when the client is closed, whichever is first. The task may call the store. */
    Platform.Task later(Duration delay, Runnable task);

    /** Runs an action of a user for a loss, on a thread that has no other task. Logs what the action throws. */
    void tellLoss(String what, Runnable action);

    /**
     * Returns the operations of the lock at its server.
     *
     * @param what the recipe that uses them, for the error text
     * @throws IllegalArgumentException if the lock is not one of a Holdfast client
     */
    static LockAccess of(String what, DistributedLock lock) {
        if (lock instanceof Source source) {
            return source.server();
        }
        throw new IllegalArgumentException("lock '" + lock.name() + "' is a "
                + lock.getClass().getName() + ": " + what + " takes only clients from Holdfast.connect");
    }
}
