package io.holdfast.mongodb.record;

import com.mongodb.connection.ClusterDescription;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.support.FirstConnection;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The attempts to get a first answer of the servers, until the connect timeout has passed. One that fails is repeated, because the
 * servers may be starting, or choosing a primary.
 */
final class FirstAttempts {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** The time of an attempt that begins just before the end. */
    private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final FirstConnection connection;
    private final long commandNanos;
    private final Supplier<ClusterDescription> servers;
    private final Failures failures;

    /** Set when it is known that something may listen at one of the addresses. */
    private boolean mayListen;

    /**
     * Creates the attempts. Their time begins.
     *
     * @param servers returns at once what the driver knows about the servers
     */
    FirstAttempts(StoreConfig config, Supplier<ClusterDescription> servers, Failures failures) {
        connection = new FirstConnection(config.platform(), config.connectTimeout());
        commandNanos = config.commandTimeout().toNanos();
        this.servers = servers;
        this.failures = failures;
    }

    /**
     * Repeats an attempt until it succeeds.
     *
     * @param attempt waits for an answer, for the given time at most
     * @throws StoreException if the servers refuse, if nothing listens at any address when each was tried first, or if the time
     *     is over
     */
    void make(Consumer<Duration> attempt) {
        awaitOutcomes();
        requireListener();
        var unused = connection.get(() -> {
            attemptOnce(attempt);
            return true;
        });
    }

    /**
     * Waits until it is known whether something listens at one of the addresses, for the command timeout at most. An attempt would
     * wait for its whole time even if nothing listens. But only an attempt lets the driver ask the servers again soon.
     */
    private void awaitOutcomes() {
        long last = Math.max(0, connection.leftNanos() - commandNanos);
        boolean waits = true;
        while (waits && states().isPending() && connection.leftNanos() > last) {
            waits = connection.pause(LOOK_NANOS);
        }
    }

    private void requireListener() {
        ServerStates states = states();
        if (!mayListen && states.nothingListens()) {
            throw new StoreException(Effect.NOT_APPLIED, failures.address() + ": connect: " + states.reasons());
        }
        mayListen |= !states.isPending();
    }

    private void attemptOnce(Consumer<Duration> attempt) {
        long most = Math.min(connection.leftNanos(), commandNanos);
        try {
            attempt.accept(Duration.ofNanos(Math.max(most, SHORTEST_NANOS)));
        } catch (StoreException e) {
            if (e.effect() != Effect.REFUSED) {
                // the outcomes come later than that on a busy machine
                requireListener();
            }
            throw explained(e);
        }
    }

    private StoreException explained(StoreException failure) {
        String reasons = states().reasons();
        return reasons.isEmpty() || failure.effect() == Effect.REFUSED
                ? failure
                : new StoreException(failure.effect(), failure.getMessage() + " (" + reasons + ")", failure.getCause());
    }

    private ServerStates states() {
        return new ServerStates(servers.get());
    }
}
