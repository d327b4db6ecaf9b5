package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the outcome of a request is unknown: no answer arrived, so the store may or may not have applied it. The text
 * names the request.
 *
 * <p>If the request was an acquire, the caller does not hold the lock. Any grant is released in the background; until then the
 * lock can appear held, at most for its lease. Retry, or report the failure; do not enter the critical section.
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
