package io.holdfast.support.record;

import io.holdfast.support.TokenUnits;

/**
 * The token units that a name has issued.
 *
 * <p>A unit is one microsecond of the store's clock. Units are never below the clock, so tokens rise even after all data was
 * lost. They are never more than 10 ms above the clock, so tokens rise after any such loss that takes at least 10 ms.
 *
 * @param last the last unit issued; 0 for none
 * @param floor the last unit issued before the latest holder came, below which that holder returns nothing
 */
public record Tokens(long last, long floor) {

    /** The tokens of a name that has issued none. */
    public static final Tokens NONE = new Tokens(0, 0);

    /** The unit from which on none is issued. It is that of the year 2112, and leaves room for tokens of 64 bits. */
    static final long END = 1L << 52;

    private static final long MAX_LEAD = 10_000;

    /** Returns the next units, at least one, for about the wanted number of tokens. */
    Grant next(long wanted, long now) {
        long first = Math.max(last + 1, now);
        long allowed = now + MAX_LEAD - first;
        return Grant.of(first, Math.max(1, Math.min(TokenUnits.units(Math.max(wanted, 1)), allowed)));
    }

    Tokens after(Grant grant) {
        return new Tokens(grant.lastUnit(), floor);
    }

    /** Protects all units issued so far from being returned. */
    Tokens forNewHolder() {
        return new Tokens(last, last);
    }

    /** Makes all further tokens exceed the given one. */
    Tokens above(long token) {
        return new Tokens(Math.max(last, TokenUnits.unit(token)), floor);
    }

    /** Takes back the units above the last token that the latest holder used. */
    Tokens usedUpTo(long token) {
        return new Tokens(Math.min(last, Math.max(TokenUnits.unit(token), floor)), floor);
    }
}
