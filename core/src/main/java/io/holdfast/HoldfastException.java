package io.holdfast;

import org.jspecify.annotations.Nullable;

/** The root of what Holdfast throws, except {@link LeaseLostException}, which has to be an IllegalMonitorStateException. */
public abstract class HoldfastException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String lockName;

    HoldfastException(String lockName, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.lockName = lockName;
    }

    /** The name of the lock; empty if the error is not about one lock. */
    public String lockName() {
        return lockName;
    }
}
