package io.holdfast.spring;

/**
 * Thrown when the thread was interrupted while it waited for the lock of a {@link Locked} method that does not declare {@link
 * InterruptedException}. The interrupt status of the thread is set.
 */
public final class LockInterruptedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Creates an exception with a text that names the lock. */
    public LockInterruptedException(String message, InterruptedException cause) {
        super(message, cause);
    }
}
