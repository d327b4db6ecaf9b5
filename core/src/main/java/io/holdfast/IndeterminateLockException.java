package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the outcome of a request is unknown, for example whether the store granted the lock.
 *
 * <p>The caller does not hold the lock. Any grant is released in the background. So the name may look held for a moment, at
 * most for its lease.
 */
public final class IndeterminateLockException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception for the given lock.
     *
     * @param name the name of the lock
     * @param message a text with the request, the time since it was sent, and the action that continues
     */
    public IndeterminateLockException(String name, String message, @Nullable Throwable cause) {
        super(name, message, cause);
    }
}
