package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * The superclass of the exceptions of Holdfast. {@link LeaseLostException} is not a subclass, because it has to be an
 * {@code IllegalMonitorStateException}.
 */
public abstract class HoldfastException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String name;

    HoldfastException(String name, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.name = name;
    }

    /** Returns the name of the lock; empty if the exception is not about a single lock. */
    public String name() {
        return name;
    }
}
