package io.holdfast;

import static io.holdfast.spi.Names.quoted;

/**
 * Thrown when a resource refuses a write because it has seen a higher fencing token. The writer held the lock before, and no
 * longer holds it. Nothing was written.
 */
public final class FencedOutException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    private final String resource;
    private final long token;
    private final long highest;

    /**
     * Creates an exception for the given resource, as its store names it.
     *
     * @param resource the resource that refused the write
     * @param token the token of the write
     * @param highest the highest token that the resource has seen
     */
    public FencedOutException(String resource, long token, long highest) {
        super(
                "",
                quoted(resource) + ": a write with token " + token + " was refused, because token " + highest
                        + " was seen before: the writer no longer holds the lock. Stop its work; the data that it has read"
                        + " is out of date, so start again under a new hold if the work is still needed",
                null);
        this.resource = resource;
        this.token = token;
        this.highest = highest;
    }

    /** Returns the name of the resource at its store, for example a key. */
    public String resource() {
        return resource;
    }

    /** Returns the token of the refused write. */
    public long fencingToken() {
        return token;
    }

    /** Returns the highest token that the resource has seen. */
    public long highest() {
        return highest;
    }
}
