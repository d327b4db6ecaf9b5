package io.holdfast.internal.access;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A lock at one server, as a quorum lock uses it beside its public face. Nothing here blocks. */
public interface LockAccess {

    /** A lock that has this to offer. */
    interface Source {

        /** Its server. */
        LockAccess server();
    }

    /** Where it is, for error texts and to tell servers apart. */
    String address();

    /** Time and randomness. */
    Platform platform();

    /** How long a hold is kept that is renewed. */
    Duration lease();

    /** For how long a hold can be relied on, at most, when it was granted for that lease. */
    Duration validityOf(Duration lease);

    /** How long one call may take. */
    Duration commandTimeout();

    /** For how long one who waits stays through an outage. */
    Duration maxOutage();

    /** Whether its client is closed. */
    boolean isClosed();

    /**
     * Asks once for a lease, without waiting for it to be free. Cancelling withdraws, and releases what may have been
     * granted. Completes on a thread that may call the store, and waits for no users' code.
     *
     * @param own how long the lease is, if it is not to be renewed
     * @throws IllegalStateException if the client is closed
     */
    CompletableFuture<Optional<Lease>> ask(Optional<Duration> own);

    /** Whether another thread of this client asks for the lock now, and so is why others are refused. */
    boolean isBeingAsked();

    /** Runs a task that may call the store, after the delay; when the client is closed, if that is earlier. */
    Platform.Task later(Duration delay, Runnable task);

    /** Runs users' code on their executor; what it throws is logged. */
    void callBack(String what, Runnable code);

    /** Runs an action of a user for a loss, on a thread that does nothing else; what it throws is logged. */
    void tellLoss(String what, Runnable action);

    /** Logs an error that has nobody else to go to. */
    void failed(String what, Throwable error);

    /** The server of a lock, or throws. */
    static LockAccess of(DistributedLock lock) {
        if (lock instanceof Source source) {
            return source.server();
        }
        throw new IllegalArgumentException("lock '" + lock.name() + "' is a "
                + lock.getClass().getName() + ": a quorum lock takes clients as Holdfast.connect gives them");
    }
}
