package io.holdfast;

/**
 * Thrown when the hold was lost before its owner released it. Another owner may hold the lock. Undo or fence the work that was
 * done under it.
 */
public final class LeaseLostException extends IllegalMonitorStateException {

    private static final long serialVersionUID = 1L;

    private final String name;
    private final long fencingToken;

    /**
     * Creates an exception for the given lock and token.
     *
     * @param name the name of the lock
     * @param fencingToken the fencing token of the lost hold
     * @param message a text with the reason and its consequences
     */
    public LeaseLostException(String name, long fencingToken, String message) {
        super(message);
        this.name = name;
        this.fencingToken = fencingToken;
    }

    /** Returns the name of the lock. */
    public String name() {
        return name;
    }

    /** Returns the fencing token of the lost hold. */
    public long fencingToken() {
        return fencingToken;
    }
}
