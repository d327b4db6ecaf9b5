package io.holdfast.internal.counted;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.internal.counted.ChangeTurns.Counter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many changes that wait for one, at a store that answers at once. */
class ChangeTurnsTest {

    private static final int MANY = 100_000;

    private final ChangeTurns turns = new ChangeTurns();
    private final Counter counter = new Counter(true, "n");
    private final List<Integer> begun = new ArrayList<>();

    @Test
    void turnsThatEndAtOnceFollowEachOtherInTheirOrder() {
        turns.enter(counter, () -> begun.add(-1));
        for (int i = 0; i < MANY; i++) {
            int number = i;
            turns.enter(counter, () -> {
                begun.add(number);
                turns.leave(counter);
                return true;
            });
        }
        assertThat(begun).containsExactly(-1);
        turns.leave(counter);
        assertThat(begun).isEqualTo(IntStream.range(-1, MANY).boxed().toList());
        turns.enter(counter, () -> begun.add(MANY));
        assertThat(begun).endsWith(MANY);
    }
}
