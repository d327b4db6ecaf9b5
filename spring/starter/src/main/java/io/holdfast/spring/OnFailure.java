package io.holdfast.spring;

/**
 * What happens if others hold the lock of a {@link Locked} method for the whole wait. If the store does not answer, the call
 * throws {@link io.holdfast.StoreUnavailableException} or {@link io.holdfast.IndeterminateLockException} instead.
 */
public enum OnFailure {
    /** The call throws {@link io.holdfast.LockTimeoutException}, which names the holder, except for a reactive type. */
    THROW,
    /**
     * The method does not run. The call returns nothing, an empty {@link java.util.Optional}, an empty stage or publisher, or
     * null.
     */
    SKIP,
    /** The method that {@link Locked#fallback} names runs instead, without the lock. */
    FALLBACK
}
