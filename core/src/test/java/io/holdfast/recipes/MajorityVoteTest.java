package io.holdfast.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Three votes are needed. A vote is true, false, or fails. */
class MajorityVoteTest {

    @ParameterizedTest
    @CsvSource({
        "5, t t, open", "5, t t t, true", "5, f f t t, open", "5, f x t t t, true", "5, f f f, false",
                "5, t t f x f, false",
        "4, f t t, open", "4, x t t t, true", "4, f f, false", "3, t t, open", "3, t t t, true", "3, f, false",
        "2, t t, false"
    })
    void theOutcomeIsKnownAsSoonAsItIsCertain(int servers, String cast, String outcome) {
        List<CompletableFuture<Boolean>> votes =
                Stream.generate(CompletableFuture<Boolean>::new).limit(servers).toList();
        CompletableFuture<Boolean> result = MajorityVote.of(votes, 3);
        String[] each = cast.split(" ", -1);
        for (int i = 0; i < each.length; i++) {
            if (each[i].equals("x")) {
                votes.get(i).completeExceptionally(new IllegalStateException("fails on purpose"));
            } else {
                votes.get(i).complete(each[i].equals("t"));
            }
        }
        assertThat(result.isDone() ? result.join().toString() : "open").isEqualTo(outcome);
    }
}
