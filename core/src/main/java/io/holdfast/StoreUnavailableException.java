package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store could not be reached, or could not execute the request now. Nothing was acquired. A later attempt may
 * succeed.
 */
public final class StoreUnavailableException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception for the given lock.
     *
     * @param name the name of the lock; empty if there is none
     * @param message a text with the store, the time since which it has failed, and the reason
     */
    public StoreUnavailableException(String name, String message, @Nullable Throwable cause) {
        super(name, message, cause);
    }
}
