package io.holdfast;

/** Thrown when others held the lock for the whole wait. It is thrown only if the signature has no other way to report that. */
public final class LockTimeoutException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception for the given lock.
     *
     * @param name the name of the lock
     * @param message a text with the time waited and the holder
     */
    public LockTimeoutException(String name, String message) {
        super(name, message, null);
    }
}
