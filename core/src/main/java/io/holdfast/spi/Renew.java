package io.holdfast.spi;

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
 */
public record Renew(String name, TenureId tenure, Share.Mode mode, Duration lease, long tokens) {

    /** A request for a lock. */
    public Renew(String name, TenureId tenure, Duration lease, long tokens) {
        this(name, tenure, Share.Mode.LOCK, lease, tokens);
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

    /** It could not be told; the lease may or may not have been set. */
    public record Failed(StoreException cause) implements Reply {}
}
