package io.holdfast.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.testkit.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MasterCheckTest {

    private static final Duration SLOW = Duration.ofSeconds(1);

    private final Simulation time = Simulation.of(1);
    private final Platform.Timer timer = time.timer("check");
    private final List<CompletableFuture<Boolean>> questions = new ArrayList<>();
    private final AtomicInteger losses = new AtomicInteger();
    private final MasterCheck check = new MasterCheck(
            time,
            timer,
            SLOW,
            this::ask,
            () -> new StoreException(Effect.UNKNOWN, "another master"),
            losses::incrementAndGet);

    @AfterEach
    void close() {
        timer.close();
        time.close();
    }

    private CompletionStage<Boolean> ask(Duration limit) {
        CompletableFuture<Boolean> question = new CompletableFuture<>();
        questions.add(question);
        return question;
    }

    private CompletableFuture<String> answered(Duration after) {
        CompletableFuture<String> answer = new CompletableFuture<>();
        CompletableFuture<String> counted = check.counted(() -> answer).toCompletableFuture();
        time.runFor(after);
        answer.complete("answer");
        return counted;
    }

    @Test
    void countsAFastAnswerAtOnce() {
        assertThat(answered(SLOW.minusMillis(1))).isCompletedWithValue("answer");
        assertThat(questions).isEmpty();
    }

    @Test
    void countsAFailureAtOnce() {
        CompletableFuture<String> answer = new CompletableFuture<>();
        CompletionStage<String> counted = check.counted(() -> answer);
        answer.completeExceptionally(new IllegalStateException("refused"));
        assertThatThrownBy(counted.toCompletableFuture()::join).hasRootCauseMessage("refused");
    }

    @Test
    void holdsBackASlowAnswerAndAllLaterOnesUntilASentinelHasNamedTheMaster() {
        CompletableFuture<String> slow = answered(SLOW);
        CompletableFuture<String> later = answered(Duration.ZERO);
        assertThat(slow).isNotDone();
        assertThat(later).isNotDone();
        assertThat(questions).hasSize(1);
        questions.get(0).complete(false);
        assertThat(slow).isCompletedWithValue("answer");
        assertThat(later).isCompletedWithValue("answer");
        assertThat(answered(Duration.ZERO)).isCompletedWithValue("answer");
        assertThat(losses).hasValue(0);
    }

    @Test
    void asksAgainAfterTheNextSlowAnswer() {
        CompletableFuture<String> first = answered(SLOW);
        questions.get(0).complete(false);
        CompletableFuture<String> second = answered(SLOW);
        assertThat(first).isDone();
        assertThat(second).isNotDone();
        assertThat(questions).hasSize(2);
    }

    @Test
    void countsAllAnswersIfNoSentinelAnswersInTime() {
        CompletableFuture<String> slow = answered(SLOW.multipliedBy(2));
        time.runFor(SLOW.minusMillis(1));
        assertThat(slow).isNotDone();
        assertThat(check.counts()).isFalse();
        time.runFor(Duration.ofMillis(1));
        assertThat(slow).isCompletedWithValue("answer");
        assertThat(check.counts()).isTrue();
        assertThat(losses).hasValue(0);
    }

    @Test
    void countsAnAnswerWhileItsCallerWaitsIfNoSentinelAnswers() {
        CompletableFuture<String> slow = answered(SLOW.plusMillis(200));
        time.runFor(Duration.ofMillis(399));
        assertThat(slow).isNotDone();
        time.runFor(Duration.ofMillis(1));
        assertThat(slow).isCompletedWithValue("answer");
    }

    @Test
    void failsAllAnswersOfAServerThatWasReplaced() {
        CompletableFuture<String> slow = answered(SLOW);
        questions.get(0).complete(true);
        assertThat(losses).hasValue(1);
        for (CompletableFuture<String> answer : List.of(slow, answered(Duration.ZERO))) {
            assertThatThrownBy(answer::join)
                    .cause()
                    .isInstanceOf(StoreException.class)
                    .hasMessage("another master");
        }
    }

    /** Its connection ends a moment later. */
    @Test
    void countsNoAnswerOfAMasterThatWasFoundReplaced() {
        CompletableFuture<String> slow = answered(SLOW);
        questions.get(0).complete(true);
        CompletableFuture<String> slowAgain = answered(SLOW);
        time.runFor(SLOW.multipliedBy(2));
        assertThat(slow).isCompletedExceptionally();
        assertThat(slowAgain).isCompletedExceptionally();
        assertThat(questions).hasSize(1);
    }
}
