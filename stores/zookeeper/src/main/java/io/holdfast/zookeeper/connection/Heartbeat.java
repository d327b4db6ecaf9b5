package io.holdfast.zookeeper.connection;

import io.holdfast.spi.Platform;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The proof that the servers keep a session, for all holds of a client together.
 *
 * <p>ZooKeeper's own pings prove nothing, because a server answers them by itself, even while it is cut off from the leader. And
 * an answered write proves that the session lived when the leader applied it, but it does not extend the session. The leader
 * learns of the signs of life of a client only from the server that the client is connected to, which reports them every half
 * tick. So:
 *
 * <ol>
 *   <li>A heartbeat is a write.
 *   <li>An answered heartbeat proves that the leader knows of the heartbeat before it, if that was sent at least half a tick
 *       earlier. The session then lasts until that earlier heartbeat was sent, plus the session timeout.
 *   <li>The leader itself begins the session, so its beginning is the first sign of life, and any answer proves that. When the
 *       connection moves to another server, that server tells the leader at once.
 * </ol>
 *
 * <p>This assumes that a leader asks its followers in time. A leader that stands still confirms no write either.
 */
final class Heartbeat {

    private final Platform platform;
    private final Supplier<CompletionStage<?>> write;
    private final long timeoutNanos;
    private final long reportNanos;
    private final ReentrantLock mutex = new ReentrantLock();

    // ---- guarded by the mutex

    private long known;
    private long validUntil;
    private @Nullable CompletableFuture<Void> underWay;

    /**
     * Creates the heartbeat of a session.
     *
     * @param began the {@code nanoTime} before the session began
     * @param timeoutNanos the session timeout
     * @param reportNanos the time within which a server reports the signs of life of its clients to the leader
     * @param write writes once, and completes with the answer
     */
    Heartbeat(Platform platform, long began, long timeoutNanos, long reportNanos, Supplier<CompletionStage<?>> write) {
        this.platform = platform;
        this.write = write;
        this.timeoutNanos = timeoutNanos;
        this.reportNanos = reportNanos;
        known = began;
        validUntil = began;
    }

    /** Returns the {@code nanoTime} until which the servers certainly keep the session. */
    long validUntil() {
        mutex.lock();
        try {
            return validUntil;
        } finally {
            mutex.unlock();
        }
    }

    /** Sends a heartbeat, unless one is under way. Completes with its answer. */
    CompletionStage<Void> beat() {
        CompletableFuture<Void> beat = new CompletableFuture<>();
        mutex.lock();
        try {
            if (underWay != null) {
                return underWay.minimalCompletionStage();
            }
            underWay = beat;
        } finally {
            mutex.unlock();
        }
        long sent = platform.nanoTime();
        write.get().whenComplete((answer, error) -> {
            ended(sent, error == null);
            if (error == null) {
                beat.complete(null);
            } else {
                beat.completeExceptionally(error);
            }
        });
        return beat.minimalCompletionStage();
    }

    private void ended(long sent, boolean answered) {
        mutex.lock();
        try {
            underWay = null;
            boolean first = validUntil == known;
            if (answered && (first || sent - known >= reportNanos)) {
                validUntil = known + timeoutNanos;
                known = sent;
            }
        } finally {
            mutex.unlock();
        }
    }
}
