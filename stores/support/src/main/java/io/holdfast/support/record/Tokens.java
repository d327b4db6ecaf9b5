package io.holdfast.support.record;

import io.holdfast.support.TokenUnits;

/**
 * The token units that a name has issued.
 *
 * <p>A unit is one microsecond of the store's clock.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Each unit is issued once, and later units are higher. Only the last holder of a lock returns units, and only unused ones.
 *   <li>A release issues one more unit as its mark, and raises the floor to it. So if the floor is not above a unit that a tenure
 *       kept, no release has ended its hold.
 *   <li>A unit is never below the clock at the time of its issue. So tokens rise even after all data was lost.
 *   <li>The last unit of a grant is at most 10 ms ahead of the clock, unless a floor or a clock that stepped back requires more.
 *       So tokens rise after any loss of data that takes at least 10 ms.
 * </ol>
 *
 * @param last the last unit issued; 0 for none
 * @param floor the highest unit of which it is known that it was issued before the present holder of a lock acquired it, or is
 *     the mark of a release; it never falls, and a holder returns only units above it
 */
public record Tokens(long last, long floor) {

    /** The tokens of a name that has issued none. */
    public static final Tokens NONE = new Tokens(0, 0);

    /** The limit of units, in the year 2112. Units are below it, so tokens have at most 63 bits. */
    static final long END = 1L << 52;

    private static final long MAX_LEAD = 10_000;

    /** Returns the next units, at least one, for about the requested number of tokens. */
    Grant next(long requested, long now) {
        long first = Math.max(last + 1, now);
        long allowed = now + MAX_LEAD - first;
        return Grant.of(first, Math.max(1, Math.min(TokenUnits.units(Math.max(requested, 1)), allowed)));
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

    /** Takes back the units above the last token that the last holder used. */
    Tokens usedUpTo(long token) {
        return new Tokens(Math.min(last, Math.max(TokenUnits.unit(token), floor)), floor);
    }

    /** Issues the mark of a release. */
    Tokens marked() {
        return new Tokens(last + 1, last + 1);
    }

    /**
     * Returns {@code true} if no release has ended the hold of a tenure that kept this token.
     *
     * @param token 0 if no token of the tenure is known
     */
    boolean showNoReleaseSince(long token) {
        return token > 0 && floor <= TokenUnits.unit(token);
    }
}
