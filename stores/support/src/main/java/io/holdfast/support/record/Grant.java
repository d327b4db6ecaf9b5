package io.holdfast.support.record;

import io.holdfast.spi.TokenBlock;
import io.holdfast.support.TokenUnits;

/**
 * The tokens of the last grant to a holder.
 *
 * @param unit the first {@linkplain TokenUnits unit}; 0 if the write that granted the tokens determines the unit
 * @param units the number of units
 * @param number the number of the grant among those of one write, from 0; it orders the grants that share the unit of the write
 */
public record Grant(long unit, long units, int number) {

    /** The grant of a holder that has no tokens yet. */
    static final Grant NONE = new Grant(0, 0, 0);

    static Grant of(long unit, long units) {
        return new Grant(unit, units, 0);
    }

    long lastUnit() {
        return unit + units - 1;
    }

    /** Returns the tokens of a grant whose units are known. */
    public TokenBlock tokens() {
        return TokenUnits.tokens(unit, units);
    }
}
