package io.holdfast.etcd.connection;

import io.holdfast.support.SingleFlight;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The time between two writes of a session's key. Its number is the revision of the first one.
 *
 * <p>Nothing orders the requests of a client at etcd. A copy of a request that got no answer may be applied later, after its
 * caller has done something else (late duplicate). So every write requires that its epoch has not ended. Invariants:
 *
 * <ol>
 *   <li>When an answer is missing, the epoch in which the request was sent is in doubt. It is ended before any other request is
 *       sent: the key of the session is written. After that, no copy of the request is applied.
 *   <li>The number never goes back. A copy of the write that ends an epoch may end the next one, too, which does no harm: requests
 *       that were sent in it fail, and are made again.
 * </ol>
 */
final class Epoch {

    private final Supplier<CompletionStage<Long>> write;
    private final SingleFlight<Long> ending = new SingleFlight<>();
    private final ReentrantLock mutex = new ReentrantLock();

    // ---- guarded by the mutex

    private long number;
    private boolean inDoubt;

    /**
     * Begins the first epoch.
     *
     * @param number the revision at which the key of the session was written
     * @param write writes the key of the session, and returns the revision
     */
    Epoch(long number, Supplier<CompletionStage<Long>> write) {
        this.number = number;
        this.write = write;
    }

    /** Returns the number of an epoch that is not in doubt. */
    CompletionStage<Long> present() {
        mutex.lock();
        try {
            if (!inDoubt) {
                return CompletableFuture.completedStage(number);
            }
        } finally {
            mutex.unlock();
        }
        return ending.join(() -> write.get().thenApply(revision -> {
            seen(revision);
            return revision;
        }));
    }

    /** Notes that a request got no answer which was sent in the given epoch. */
    void doubt(long sentIn) {
        mutex.lock();
        try {
            inDoubt |= sentIn == number;
        } finally {
            mutex.unlock();
        }
    }

    /** Notes the revision at which the key of the session was seen. An older one says nothing about the present doubt. */
    void seen(long revision) {
        mutex.lock();
        try {
            if (revision > number) {
                number = revision;
                inDoubt = false;
            }
        } finally {
            mutex.unlock();
        }
    }
}
