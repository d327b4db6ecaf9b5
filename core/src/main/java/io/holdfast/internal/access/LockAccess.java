package io.holdfast.internal.access;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The operations of a lock at one server that recipes use in addition to the public API. None of them blocks. */
public interface LockAccess {

    /** A lock that provides these operations. */
    interface Source {

        /** Returns the operations of the lock at its server. */
        LockAccess lockAccess();
    }

    /** Returns the operations of the client of the lock. */
    ClientAccess access();

    /** Returns the address of the server, for error texts and to distinguish servers. */
    String address();

    /** Returns the lease of a hold that the watchdog renews. */
    Duration lease();

    /** Returns the longest time for which a hold with the given lease is valid after its grant. */
    Duration validityOf(Duration lease);

    /**
     * Checks that the store can keep a lease.
     *
     * @param what what the lease is, for the error text
     * @throws IllegalArgumentException if the lease is too short for it
     */
    void requireLease(String what, Duration lease);

    /** Returns the maximum duration of one call. */
    Duration commandTimeout();

    /** Returns {@code true} if the client is closed. */
    boolean isClosed();

    /**
     * Requests a lease once, without waiting until the lock is free. Canceling the future withdraws the request, and releases a
     * lease that may have been granted. The future completes on a thread that may call the store. Users' code cannot delay it.
     *
     * @param lease a lease that is not renewed; empty for a lease that the watchdog renews
     * @throws IllegalStateException if the client is closed
     */
    CompletableFuture<Optional<Lease>> tryOnce(Optional<Duration> lease);

    /**
     * Requests a lease, and waits for the given time at most until the lock is free. Otherwise like {@link #tryOnce}.
     */
    CompletableFuture<Optional<Lease>> await(Optional<Duration> lease, Duration wait);

    /**
     * Returns {@code true} if this client requests the lock now for another thread, and the store has not put that request in its
     * queue. The store may refuse others because of it.
     */
    boolean isBeingRequested();

    /** Runs a task after the delay, or when the client is closed, whichever is first. The task may call the store. */
    Platform.Task later(Duration delay, Runnable task);

    /** Runs a user's action for a loss on the thread for losses. Logs what the action throws. */
    void notifyLoss(String what, Runnable action);

    /**
     * Returns the operations of the lock at its server.
     *
     * @param what the recipe that uses them, for the error text
     * @throws IllegalArgumentException if the lock does not belong to a Holdfast client
     */
    static LockAccess of(String what, DistributedLock lock) {
        if (lock instanceof Source source) {
            return source.lockAccess();
        }
        throw new IllegalArgumentException("lock " + quoted(lock.name()) + " is a "
                + lock.getClass().getName() + ": " + what + " takes only clients from Holdfast.connect");
    }
}
