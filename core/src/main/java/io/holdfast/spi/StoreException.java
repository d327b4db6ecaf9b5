package io.holdfast.spi;

import org.jspecify.annotations.Nullable;

/** Thrown when a request to a store has no answer or was refused. It states the known effect of the request. */
public final class StoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The known effect of a request. */
    public enum Effect {
        /** The request was not applied and will not be. Trying again may succeed. */
        NOT_APPLIED,
        /**
         * The request was not applied, because those of other clients always came first. The store works. Trying again may succeed.
         */
        CONTENDED,
        /** The request was not applied. Trying again will not succeed until the cause is repaired. */
        REFUSED,
        /** The request may have been applied, or may still be. */
        UNKNOWN,
        /**
         * The request was applied, but is not known to have reached the replicas or disks that {@link StoreConfig#safety}
         * requires.
         */
        UNCONFIRMED;

        /** Returns {@code true} if the request may have had an effect at the store. */
        public boolean mayBeApplied() {
            return this == UNKNOWN || this == UNCONFIRMED;
        }
    }

    private final Effect effect;

    /** Creates an exception with a text for people: the request, the answer, and the action to take. */
    public StoreException(Effect effect, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.effect = effect;
    }

    /** Creates an exception with a text for people. */
    public StoreException(Effect effect, String message) {
        super(message);
        this.effect = effect;
    }

    /** Returns the known effect of the request. */
    public Effect effect() {
        return effect;
    }
}
