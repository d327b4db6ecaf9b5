package io.holdfast;

import org.jspecify.annotations.Nullable;

/** The store answered and refused: rights, configuration, or a foreign value under the name. Trying again won't help. */
public final class StoreRefusedException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    /** For the lock, empty if none, with a text that says what was refused and what to do. */
    public StoreRefusedException(String lockName, String message, @Nullable Throwable cause) {
        super(lockName, message, cause);
    }
}
