package io.holdfast;

/**
 * The hold was lost before its owner released it: another owner may have the lock. Undo or fence what was done under it.
 */
public final class LeaseLostException extends IllegalMonitorStateException {

    private static final long serialVersionUID = 1L;

    private final String lockName;
    private final long token;

    /** For the lock and token, with a text that says why and what it means. */
    public LeaseLostException(String lockName, long token, String message) {
        super(message);
        this.lockName = lockName;
        this.token = token;
    }

    /** The name of the lock. */
    public String lockName() {
        return lockName;
    }

    /** The fencing token of the lost hold. */
    public long token() {
        return token;
    }
}
