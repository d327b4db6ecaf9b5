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
    private final List<Integer> started = new ArrayList<>();

    @Test
    void changesThatFinishAtOnceFollowEachOtherInTheirOrder() {
        turns.submit(counter, () -> started.add(-1));
        for (int i = 0; i < MANY; i++) {
            int number = i;
            turns.submit(counter, () -> {
                started.add(number);
                turns.finish(counter);
                return true;
            });
        }
        assertThat(started).containsExactly(-1);
        turns.finish(counter);
        assertThat(started).isEqualTo(IntStream.range(-1, MANY).boxed().toList());
        turns.submit(counter, () -> started.add(MANY));
        assertThat(started).endsWith(MANY);
    }
}
