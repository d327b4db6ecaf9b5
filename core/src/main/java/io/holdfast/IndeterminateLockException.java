package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Whether the store granted the lock could not be told. The caller does not hold it; what may have been granted is being
 * released in the background, so the name may look held for a moment, at most for its lease.
 */
public final class IndeterminateLockException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    /** For the lock, with a text that says what was asked, how long ago, and what goes on. */
    public IndeterminateLockException(String lockName, String message, @Nullable Throwable cause) {
        super(lockName, message, cause);
    }
}
