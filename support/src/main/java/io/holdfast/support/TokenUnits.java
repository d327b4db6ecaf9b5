package io.holdfast.support;

import io.holdfast.spi.TokenBlock;
import java.util.OptionalLong;

/**
 * Fencing tokens of a server with a clock. The server counts them in units, which are microseconds of its clock; a unit is
 * 1 024 tokens. So the clock runs faster than any lock is handed on, and what a server gives that has lost all its data is
 * still higher than all before.
 */
public final class TokenUnits {

    private static final int BITS = 10;

    private TokenUnits() {}

    /** The tokens of so many units from the first on. */
    public static TokenBlock tokens(long firstUnit, long units) {
        return new TokenBlock(firstUnit << BITS, ((firstUnit + units) << BITS) - 1);
    }

    /** How many units hold so many tokens. */
    public static long units(long tokens) {
        return ((tokens - 1) >> BITS) + 1;
    }

    /** The last token of a unit; none if there was no unit yet, which is 0. */
    public static OptionalLong lastOf(long unit) {
        return unit == 0
                ? OptionalLong.empty()
                : OptionalLong.of(tokens(unit, 1).last());
    }

    /** The unit that a token is of. */
    public static long unit(long token) {
        return token >> BITS;
    }
}
