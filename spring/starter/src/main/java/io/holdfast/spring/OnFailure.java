package io.holdfast.spring;

/** What happens if a {@link Locked} method does not acquire its lock in time. */
public enum OnFailure {
    /** The call throws {@link io.holdfast.LockTimeoutException}, which names the holder. */
    THROW,
    /**
     * The method does not run. The call returns nothing, an empty {@link java.util.Optional}, an empty stage or publisher, or
     * null.
     */
    SKIP,
    /** The method that {@link Locked#fallback} names runs instead, without the lock. */
    FALLBACK
}
