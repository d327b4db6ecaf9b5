package io.holdfast.spi;

import static io.holdfast.spi.Names.quoted;

import java.time.Duration;
import java.util.Optional;

/**
 * A request to renew the lease of a held tenure; see {@link LockStore#renew}.
 *
 * @param name the name of the lock
 * @param tenure the tenure that holds it
 * @param mode the mode in which it holds the name
 * @param lease the lease, which begins at the decision; it has no effect if it ends before the present one
 * @param minHold as in {@link Acquire#minHold}, from this decision on; it has no effect if an earlier request has stated one
 * @param tokens the number of further fencing tokens requested; 0 for none
 * @param floor a token that all tokens issued for the name from now on must exceed, including those of this reply; 0 for none,
 *     which is required if the name is held in another mode than {@link Share.Mode#LOCK}
 */
public record Renew(
        String name, TenureId tenure, Share.Mode mode, Duration lease, Duration minHold, long tokens, long floor) {

    /**
     * Checks the floor.
     *
     * @throws IllegalArgumentException if the floor is negative
     */
    public Renew {
        if (floor < 0) {
            throw new IllegalArgumentException("lock " + quoted(name) + ": no token floor: " + floor);
        }
    }

    /** Creates a request without a floor. */
    public Renew(String name, TenureId tenure, Share.Mode mode, Duration lease, long tokens) {
        this(name, tenure, mode, lease, Duration.ZERO, tokens, 0);
    }

    /** Creates a request for a lock, without a floor. */
    public Renew(String name, TenureId tenure, Duration lease, long tokens) {
        this(name, tenure, Share.Mode.LOCK, lease, tokens);
    }

    /** Returns a copy of this request for another lease. */
    public Renew withLease(Duration value) {
        return new Renew(name, tenure, mode, value, minHold, tokens, floor);
    }

    /** Returns a copy of this request for a tenure that stays for the given time even if the client ends. */
    public Renew withMinHold(Duration value) {
        return new Renew(name, tenure, mode, lease, value, tokens, floor);
    }

    /** Returns a copy of this request that makes all later tokens exceed the given one. */
    public Renew withFloor(long value) {
        return new Renew(name, tenure, mode, lease, minHold, tokens, value);
    }

    /** The reply to a request. */
    public sealed interface Reply {}

    /**
     * A reply that confirms that the tenure holds the name now.
     *
     * @param valid the time for which the store keeps the tenure without another renewal, from when the request was sent. It is
     *     the requested lease, or less if the store cannot promise that
     * @param foreignWaiters the number of other clients that wait, as far as known
     * @param tokens further tokens, if requested
     * @param serverMicros the server's time, in microseconds
     */
    public record Renewed(Duration valid, int foreignWaiters, Optional<TokenBlock> tokens, long serverMicros)
            implements Reply {}

    /** A reply that reports that the tenure does not hold the name, and never will again. */
    public record Lost() implements Reply {}

    /**
     * A reply that reports that the renewal failed, as far as known. The lease may or may not have been renewed.
     *
     * <p>With the effect {@link StoreException.Effect#REFUSED} it will never be renewed, because the store has foreign data
     * under the name. The hold then counts as lost, and is released.
     */
    public record Failed(StoreException cause) implements Reply {}
}
