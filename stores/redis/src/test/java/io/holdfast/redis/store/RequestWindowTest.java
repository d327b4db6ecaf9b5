package io.holdfast.redis.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How many requests are under way, in which order, and when all are done. */
class RequestWindowTest {

    private static final int WIDTH = 3;

    private final List<CompletableFuture<String>> sent = new ArrayList<>();

    private CompletionStage<String> send(int item) {
        CompletableFuture<String> answer = new CompletableFuture<>();
        sent.add(answer);
        return answer;
    }

    private static List<Integer> items(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    @Test
    void noMoreAreUnderWayThanMayBe() {
        CompletableFuture<Void> all =
                RequestWindow.each(items(10), WIDTH, this::send).toCompletableFuture();
        for (int answered = 0; answered < 10; answered++) {
            assertThat(sent).hasSize(Math.min(10, answered + WIDTH));
            assertThat(all).isNotDone();
            sent.get(answered).complete("");
        }
        assertThat(all).isCompleted();
    }

    @Test
    void aFailureCountsAsAnAnswer() {
        CompletableFuture<Void> all =
                RequestWindow.each(items(4), WIDTH, this::send).toCompletableFuture();
        sent.get(1).completeExceptionally(new IllegalStateException("broken"));
        assertThat(sent).hasSize(4);
        sent.forEach(answer -> answer.complete(""));
        assertThat(all).isCompleted();
    }

    @Test
    void answersThatComeAtOnceDoNotNest() {
        CompletionStage<Void> all =
                RequestWindow.each(items(100_000), WIDTH, item -> CompletableFuture.completedStage(item));
        assertThat(all.toCompletableFuture()).isCompleted();
    }

    @Test
    void ofNothingAllIsDone() {
        assertThat(RequestWindow.each(items(0), WIDTH, this::send).toCompletableFuture())
                .isCompleted();
    }
}
