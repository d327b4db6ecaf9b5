package io.holdfast.redis;

import io.holdfast.spi.TokenBlock;
import java.util.List;

/**
 * What a script replied: numbers and texts.
 *
 * <p>The server counts fencing tokens in units, which are microseconds of its clock; a unit is 1 024 tokens, so that the
 * clock runs faster than any lock is handed on, and what a server gives that has lost all is still higher.
 */
record Reply(List<Object> values) {

    static final int UNIT_BITS = 10;

    long number(int index) {
        return (Long) values.get(index);
    }

    int count(int index) {
        return (int) number(index);
    }

    String text(int index) {
        return (String) values.get(index);
    }

    /** From the first unit, and the number of units behind it. */
    TokenBlock tokens(int index) {
        return tokens(number(index), number(index + 1));
    }

    static TokenBlock tokens(long firstUnit, long units) {
        return new TokenBlock(firstUnit << UNIT_BITS, ((firstUnit + units) << UNIT_BITS) - 1);
    }

    /** How many units hold that many tokens. */
    static long units(long tokens) {
        return (tokens + (1 << UNIT_BITS) - 1) >> UNIT_BITS;
    }
}
