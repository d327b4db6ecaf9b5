package io.holdfast;

/** The lock was held by others for the whole wait. Thrown only where the signature has no other way to say so. */
public final class LockTimeoutException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    /** For the lock, with a text that says how long, and who holds it. */
    public LockTimeoutException(String lockName, String message) {
        super(lockName, message, null);
    }
}
