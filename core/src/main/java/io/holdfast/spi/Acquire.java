package io.holdfast.spi;

import java.time.Duration;
import java.util.Optional;

/**
 * A request for a name; see {@link LockStore#acquire}.
 *
 * @param name the lock
 * @param tenure who asks
 * @param enqueue whether to take a place in the queue if refused
 * @param arrival the place the tenure had before, from {@link Refused#arrival}; 0 for none
 * @param lease how long the store keeps the tenure without renewal
 * @param tokens how many fencing tokens are wanted; the store may give more or fewer, at least one
 * @param notAfter the server time, in microseconds of {@link ServerClock}, after which the request must not be applied
 */
public record Acquire(
        String name, TenureId tenure, boolean enqueue, long arrival, Duration lease, long tokens, long notAfter) {

    /** The answer. */
    public sealed interface Reply {

        /** The server's time at the decision, in microseconds. */
        long serverMicros();
    }

    /**
     * The tenure holds the name, for the lease from the decision on.
     *
     * @param tokens tokens for this tenure, all higher than any given for the name before
     * @param foreignWaiters how many other clients wait, as far as known
     * @param serverMicros the server's time
     */
    public record Granted(TokenBlock tokens, int foreignWaiters, long serverMicros) implements Reply {}

    /**
     * Another tenure holds the name.
     *
     * @param retryAfter when its lease ends, from now
     * @param arrival the place in the queue; 0 if there is none
     * @param holder who holds it, as the store keeps it; a {@link TenureId} for holders of this library
     * @param serverMicros the server's time
     * @param run the run of the server that decided, for {@link Signal.Assigned#run}; 0 if not known for certain
     */
    public record Refused(Duration retryAfter, long arrival, Optional<String> holder, long serverMicros, long run)
            implements Reply {}

    /**
     * The request came after its {@link Acquire#notAfter}; nothing was written. To be sent anew.
     *
     * @param serverMicros the server's time
     */
    public record Late(long serverMicros) implements Reply {}
}
