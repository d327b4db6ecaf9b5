package io.holdfast.spi;

import org.jspecify.annotations.Nullable;

/** A request to a store that has no answer, or was refused; says what is known about its effect. */
public final class StoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What is known about the effect of the request. */
    public enum Effect {
        /** It was not applied and will not be; worth trying again. */
        NOT_APPLIED,
        /** It was not applied, and trying again will not help before somebody repairs the cause. */
        REFUSED,
        /** It may have been applied, or may still be. */
        UNKNOWN,
        /** It was applied, but is not known to be where {@link Acquire#safety} or {@link Renew#safety} wants it. */
        UNCONFIRMED;

        /** Whether something may be at the store. */
        public boolean mayBeApplied() {
            return this == UNKNOWN || this == UNCONFIRMED;
        }
    }

    private final Effect effect;

    /** With a text for a person: what was asked, what came back, and what to do. */
    public StoreException(Effect effect, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.effect = effect;
    }

    /** With a text for a person. */
    public StoreException(Effect effect, String message) {
        super(message);
        this.effect = effect;
    }

    /** What is known about the effect of the request. */
    public Effect effect() {
        return effect;
    }
}
