package io.holdfast.support;

import io.holdfast.spi.TokenBlock;
import java.util.OptionalLong;

/**
 * The arithmetic of fencing tokens of a server with a clock.
 *
 * <p>The server counts tokens in units. A unit is one microsecond of its clock, and contains 1 024 tokens. So no rate of
 * handoffs outruns the clock. After a server has lost all its data, its tokens are still higher than all earlier ones.
 */
public final class TokenUnits {

    private static final int BITS = 10;

    private TokenUnits() {}

    /** Returns the tokens of the given number of units, beginning with the given unit. */
    public static TokenBlock tokens(long firstUnit, long units) {
        return new TokenBlock(firstUnit << BITS, ((firstUnit + units) << BITS) - 1);
    }

    /** Returns the number of units that contain the given number of tokens. */
    public static long units(long tokens) {
        return ((tokens - 1) >> BITS) + 1;
    }

    /** Returns the last token of a unit; empty for unit 0, which means that no unit was issued yet. */
    public static OptionalLong lastOf(long unit) {
        return unit == 0
                ? OptionalLong.empty()
                : OptionalLong.of(tokens(unit, 1).last());
    }

    /** Returns the unit that contains a token. */
    public static long unit(long token) {
        return token >> BITS;
    }
}
