package io.holdfast.zookeeper.connection;

import io.holdfast.spi.Platform;
import io.holdfast.support.session.ClockReading;
import io.holdfast.support.session.SessionValidity;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.zookeeper.KeeperException;

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
 *   <li>An answered heartbeat proves that the leader knows of an earlier one, if that was answered at least a tick before this one
 *       was sent. The earlier one is then the sign of life from which the session timeout counts. A whole tick is required, because
 *       a leader asks its followers about every half tick, and not exactly.
 *   <li>The leader itself begins the session, so its beginning is the first sign of life, and any answer proves that. When the
 *       connection moves to another server, that server tells the leader at once.
 * </ol>
 *
 * <p>This assumes that a leader asks its followers in time. A leader that stands still confirms no write either.
 */
final class Heartbeat {

    private final Platform platform;
    private final Supplier<CompletionStage<?>> write;
    private final Duration timeout;
    private final long tickNanos;
    private final ReentrantLock mutex = new ReentrantLock();

    /** A heartbeat that was answered. */
    private record Beat(ClockReading sent, long answered) {}

    // ---- guarded by the mutex

    /** The answered heartbeats that no later one has proven yet, the earliest first. */
    private final Deque<Beat> answered = new ArrayDeque<>();

    /** The last sign of life that the leader certainly knows of. */
    private ClockReading sign;

    /** Empty before the first answer. */
    private Optional<SessionValidity> validity = Optional.empty();

    /**
     * Creates the heartbeat of a session.
     *
     * @param began the clocks before the session began
     * @param timeout the session timeout
     * @param tickNanos the time within which a server certainly reports the signs of life of its clients to the leader
     * @param write writes once, and completes with the answer
     */
    Heartbeat(
            Platform platform,
            ClockReading began,
            Duration timeout,
            long tickNanos,
            Supplier<CompletionStage<?>> write) {
        this.platform = platform;
        this.write = write;
        this.timeout = timeout;
        this.tickNanos = tickNanos;
        sign = began;
    }

    /**
     * Returns the writes of heartbeats to the node of a session, each of which has to raise its version. Servers that were restored
     * from a backup may have an earlier state of the node, and of the session, although others have taken its holds since. Then the
     * write fails with {@link KeeperException.Code#BADVERSION}.
     */
    static Supplier<CompletionStage<?>> writes(Requests requests, String path) {
        AtomicInteger last = new AtomicInteger();
        return () -> requests.set(path, new byte[0], -1).thenApply(stat -> {
            if (last.getAndSet(stat.getVersion()) >= stat.getVersion()) {
                throw new CompletionException(KeeperException.create(KeeperException.Code.BADVERSION, path));
            }
            return stat;
        });
    }

    /** Returns the time until which the servers certainly keep the session; empty before the first answer. */
    Optional<SessionValidity> validity() {
        mutex.lock();
        try {
            return validity;
        } finally {
            mutex.unlock();
        }
    }

    /** Sends a heartbeat. Completes with its answer. */
    CompletionStage<Void> beat() {
        ClockReading sent = ClockReading.of(platform);
        return write.get().thenAccept(answer -> answered(sent));
    }

    private void answered(ClockReading sent) {
        mutex.lock();
        try {
            while (!answered.isEmpty() && sent.nanos() - answered.element().answered() >= tickNanos) {
                sign = answered.remove().sent();
            }
            validity = Optional.of(new SessionValidity(sign, sent, timeout));
            answered.add(new Beat(sent, platform.nanoTime()));
        } finally {
            mutex.unlock();
        }
    }
}
