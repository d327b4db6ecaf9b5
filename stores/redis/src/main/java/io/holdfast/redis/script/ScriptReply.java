package io.holdfast.redis.script;

import io.holdfast.spi.TokenBlock;
import io.holdfast.support.TokenUnits;
import java.util.List;
import java.util.Optional;

/**
 * The reply of a script: numbers and texts.
 *
 * @param run the number of the connection, which identifies one run of one server; 0 if messages cannot be relied on
 */
public record ScriptReply(List<Object> values, long run) {

    public long number(int index) {
        return (Long) values.get(index);
    }

    /** Returns {@code true} if work is left, so that the same script has to run again. */
    boolean isIncomplete() {
        return values.size() > 3 && number(3) == 1;
    }

    public int count(int index) {
        return (int) number(index);
    }

    /** Returns all numbers from the index to the end. */
    public List<Long> numbers(int from) {
        return from == values.size()
                ? List.of()
                : values.stream().skip(from).map(Long.class::cast).toList();
    }

    public String text(int index) {
        return (String) values.get(index);
    }

    /** Returns the tokens of the block whose first unit is at the index, followed by the number of units. */
    public TokenBlock tokens(int index) {
        return TokenUnits.tokens(number(index), number(index + 1));
    }

    /** Returns the tokens of the block at the index; empty if it has no units. */
    public Optional<TokenBlock> maybeTokens(int index) {
        return number(index + 1) == 0 ? Optional.empty() : Optional.of(tokens(index));
    }
}
