package io.holdfast;

/**
 * Thrown when the hold was lost before its owner released it. Another owner may hold the lock. Undo or fence the work that was
 * done under it.
 */
public final class LeaseLostException extends IllegalMonitorStateException {

    private static final long serialVersionUID = 1L;

    private final String lockName;
    private final long token;

    /**
     * Creates an exception for the given lock and token.
     *
     * @param lockName the name of the lock
     * @param token the fencing token of the lost hold
     * @param message a text with the reason and its consequences
     */
    public LeaseLostException(String lockName, long token, String message) {
        super(message);
        this.lockName = lockName;
        this.token = token;
    }

    /** Returns the name of the lock. */
    public String lockName() {
        return lockName;
    }

    /** Returns the fencing token of the lost hold. */
    public long token() {
        return token;
    }
}
