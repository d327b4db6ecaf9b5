package io.holdfast.etcd.connection;

import io.holdfast.spi.Platform;
import io.holdfast.support.SingleFlight;
import io.holdfast.support.session.ClockReading;
import io.holdfast.support.session.SessionValidity;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The proof that the servers keep a session, for all holds of a client together.
 *
 * <p>The leader answers a sign of life from its memory. A leader that was replaced without knowing it does so, too. So:
 *
 * <ol>
 *   <li>A heartbeat is a sign of life and then a write, because only a majority can apply a write.
 *   <li>It counts from the time at which the sign of life was sent, and only if both answers name the same term of the leader. A
 *       term has one leader. As that leader has applied the write, it was not replaced before it received the sign of life.
 *   <li>A later leader begins with the whole time to live of each lease, so a change of the leader ends no session early.
 *   <li>The grant of the lease is a write. So the session lasts at least from the time at which it was requested.
 *   <li>The write decides whether the session has ended. A sign of life without a time to live proves nothing: a server that
 *       has not applied the last entries of its log yet gives the same answer.
 * </ol>
 */
final class Heartbeat {

    /** How often a heartbeat is sent that meets a change of the leader. */
    private static final int ATTEMPTS = 2;

    /** The requests of a heartbeat. */
    interface Requests {

        /** Sends a sign of life. */
        CompletionStage<Sign> signOfLife();

        /** Writes once, and returns the term of the leader. Fails if the session has ended. */
        CompletionStage<Long> write();
    }

    /**
     * The answer to a sign of life.
     *
     * @param secondsToLive the time to live of the session; 0 if the server does not know it
     * @param term the term of the leader
     */
    record Sign(long secondsToLive, long term) {}

    private final Platform platform;
    private final Requests requests;
    private final SingleFlight<Void> beat = new SingleFlight<>();
    private final ReentrantLock mutex = new ReentrantLock();

    /** Guarded by the mutex. */
    private SessionValidity validity;

    /**
     * Creates the heartbeat of a session.
     *
     * @param validity the validity with which the session begins
     */
    Heartbeat(Platform platform, SessionValidity validity, Requests requests) {
        this.platform = platform;
        this.validity = validity;
        this.requests = requests;
    }

    /** Returns the time until which the servers certainly keep the session. */
    SessionValidity validity() {
        mutex.lock();
        try {
            return validity;
        } finally {
            mutex.unlock();
        }
    }

    /** Sends a heartbeat, unless one is under way. Completes with its answers. */
    CompletionStage<Void> beat() {
        return beat.join(() -> attempt(ATTEMPTS));
    }

    private CompletionStage<Void> attempt(int left) {
        ClockReading sent = ClockReading.of(platform);
        return requests.signOfLife()
                .thenCompose(sign -> requests.write().thenCompose(term -> {
                    if (sign.secondsToLive() > 0 && term == sign.term()) {
                        confirmed(SessionValidity.of(sent, Duration.ofSeconds(sign.secondsToLive())));
                    } else if (left > 1) {
                        return attempt(left - 1);
                    }
                    return CompletableFuture.completedStage(null);
                }));
    }

    private void confirmed(SessionValidity proven) {
        mutex.lock();
        try {
            validity = proven;
        } finally {
            mutex.unlock();
        }
    }
}
