package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store refused a request: missing access rights, bad configuration, or a foreign value under the name. The
 * same request will fail again until the cause is repaired.
 */
public final class StoreRefusedException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception for the given lock.
     *
     * @param name the name of the lock; empty if there is none
     * @param message a text with the reason of the refusal and the action to take
     */
    public StoreRefusedException(String name, String message, @Nullable Throwable cause) {
        super(name, message, cause);
    }
}
