package io.holdfast;

import org.jspecify.annotations.Nullable;

/** The store could not be reached, or not do it now; nothing was acquired. Trying again later may help. */
public final class StoreUnavailableException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    /** For the lock, empty if none, with a text that says which store, since when, and why. */
    public StoreUnavailableException(String lockName, String message, @Nullable Throwable cause) {
        super(lockName, message, cause);
    }
}
