package io.holdfast.support.record;

import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;

/**
 * The cause of a refusal: what stands at the store under a name is no record, because somebody else has written it. Unlike a
 * refusal by the server, it concerns one name, and no right that is granted again ends it.
 */
public final class UnreadableRecordException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private UnreadableRecordException(Throwable cause) {
        super(cause);
    }

    /** Returns the refusal of a request. */
    public static StoreException refusal(String message, Throwable cause) {
        return new StoreException(Effect.REFUSED, message, new UnreadableRecordException(cause));
    }

    /** Returns {@code true} if a request was refused for this cause. */
    public static boolean hasRefused(StoreException failure) {
        return failure.getCause() instanceof UnreadableRecordException;
    }
}
