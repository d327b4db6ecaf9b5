package io.holdfast;

/**
 * A resource has refused a write, as somebody with a higher fencing token has been there: the writer held the lock once, and
 * does not any more. Nothing was written.
 */
public final class FencedOutException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    private final String resource;
    private final long token;
    private final long highest;

    /** For the resource as its store names it, the token of the write, and the highest token seen. */
    public FencedOutException(String resource, long token, long highest) {
        super(
                "",
                "'" + resource + "': a write with token " + token + " was refused, as token " + highest
                        + " has been there: the writer does not hold the lock any more. Stop its work; what it has read is"
                        + " out of date, so begin anew under a new hold if it is still wanted",
                null);
        this.resource = resource;
        this.token = token;
        this.highest = highest;
    }

    /** What was to be written, as its store names it: a key, for example. */
    public String resource() {
        return resource;
    }

    /** The token of the write. */
    public long token() {
        return token;
    }

    /** The highest token that the resource has seen. */
    public long highest() {
        return highest;
    }
}
