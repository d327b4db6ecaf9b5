package io.holdfast.spi;

import io.holdfast.Safety;
import java.time.Duration;
import java.util.Optional;

/**
 * A request to set the lease of a held tenure anew; see {@link LockStore#renew}.
 *
 * @param name the lock
 * @param tenure who holds it
 * @param mode how it holds the name
 * @param lease from the decision on, if that is later than the present end
 * @param tokens how many further fencing tokens are wanted; 0 for none
 * @param floor a token; all that are given for the name from now on, those of this reply included, are above it; 0 for
 *     none, always if the name is held in another mode than {@link Share.Mode#LOCK}
 * @param safety where it has to be before it is answered; see {@link Acquire#safety}
 */
public record Renew(
        String name, TenureId tenure, Share.Mode mode, Duration lease, long tokens, long floor, Safety safety) {

    /**
     * Checks the floor.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public Renew {
        if (floor < 0) {
            throw new IllegalArgumentException("lock '" + name + "': no token floor: " + floor);
        }
    }

    /** A request without a floor, for the server alone. */
    public Renew(String name, TenureId tenure, Share.Mode mode, Duration lease, long tokens) {
        this(name, tenure, mode, lease, tokens, 0, Safety.async());
    }

    /** A request for a lock. */
    public Renew(String name, TenureId tenure, Duration lease, long tokens) {
        this(name, tenure, Share.Mode.LOCK, lease, tokens);
    }

    /** The same, so that tokens given later are above this one. */
    public Renew withFloor(long value) {
        return new Renew(name, tenure, mode, lease, tokens, value, safety);
    }

    /** The same, to be renewed where this says. */
    public Renew withSafety(Safety value) {
        return new Renew(name, tenure, mode, lease, tokens, floor, value);
    }

    /** The answer. */
    public sealed interface Reply {}

    /**
     * The tenure holds the name now.
     *
     * @param foreignWaiters how many other clients wait, as far as known
     * @param tokens further tokens, if wanted
     * @param serverMicros the server's time
     */
    public record Renewed(int foreignWaiters, Optional<TokenBlock> tokens, long serverMicros) implements Reply {}

    /** The tenure does not hold the name, and never will again. */
    public record Lost() implements Reply {}

    /**
     * It was not renewed, as far as is known; the lease may or may not have been set. With the effect {@link
     * StoreException.Effect#REFUSED} it never will be, because the store has something else there: the hold counts as lost, and is
     * released.
     */
    public record Failed(StoreException cause) implements Reply {}
}
