package io.holdfast.etcd.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("everywhere")
class AnswersTest {

    private static final long BEGAN = millis(1_000);

    private final Answers answers = new Answers(BEGAN);

    private static long millis(long number) {
        return TimeUnit.MILLISECONDS.toNanos(number);
    }

    @Test
    void withoutAnAnswerTheBeginningIsKnown() {
        assertThat(answers.before(7)).isEqualTo(BEGAN);
        answers.note(millis(1_100), 7);
        assertThat(answers.before(7)).isEqualTo(BEGAN);
    }

    @Test
    void theLatestRequestCountsWhoseAnswerDidNotKnowTheWrite() {
        answers.note(millis(1_100), 5);
        answers.note(millis(1_200), 6);
        answers.note(millis(1_300), 8);
        assertThat(answers.before(8)).isEqualTo(millis(1_200));
        assertThat(answers.before(7)).isEqualTo(millis(1_200));
        assertThat(answers.before(6)).isEqualTo(millis(1_100));
        assertThat(answers.before(100)).isEqualTo(millis(1_300));
    }

    /** Otherwise a busy client would know nothing that is older than some milliseconds. */
    @Test
    void answersThatFollowCloselyAreLeftOut() {
        for (int i = 0; i < 1_000; i++) {
            answers.note(millis(1_000) + i * millis(1), i);
        }
        assertThat(answers.before(100)).isBetween(millis(1_080), millis(1_099));
    }

    @Test
    void theOldestAreForgotten() {
        for (int i = 0; i < 1_000; i++) {
            answers.note(millis(2_000) + i * millis(10), i);
        }
        assertThat(answers.before(100)).isEqualTo(BEGAN);
        assertThat(answers.before(999)).isEqualTo(millis(2_000) + 998 * millis(10));
    }
}
