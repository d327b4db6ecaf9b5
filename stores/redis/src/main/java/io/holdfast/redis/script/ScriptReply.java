package io.holdfast.redis.script;

import io.holdfast.spi.TokenBlock;
import io.holdfast.support.TokenUnits;
import java.util.List;
import java.util.Optional;

/**
 * The reply of a script: numbers and texts.
 *
 * @param run a number that is another one for each connection; 0 while no messages come
 */
public record ScriptReply(List<Object> values, long run) {

    public long number(int index) {
        return (Long) values.get(index);
    }

    /** Whether the script left something to be done by the same once more. */
    boolean isCut() {
        return values.size() > 3 && number(3) == 1;
    }

    public int count(int index) {
        return (int) number(index);
    }

    /** All from there to the end. */
    public List<Long> numbers(int from) {
        return from == values.size()
                ? List.of()
                : values.stream().skip(from).map(Long.class::cast).toList();
    }

    public String text(int index) {
        return (String) values.get(index);
    }

    /** From the first unit, and the number of units behind it. */
    public TokenBlock tokens(int index) {
        return TokenUnits.tokens(number(index), number(index + 1));
    }

    /** The same; empty if there are none. */
    public Optional<TokenBlock> maybeTokens(int index) {
        return number(index + 1) == 0 ? Optional.empty() : Optional.of(tokens(index));
    }
}
