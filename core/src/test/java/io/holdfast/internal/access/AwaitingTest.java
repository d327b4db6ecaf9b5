package io.holdfast.internal.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Platform;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A wait that an interrupt ends. */
class AwaitingTest {

    /** Completes between two questions whether it is done. */
    private static final class CompletesWhenAsked extends CompletableFuture<String> {

        private final int question;
        private int asked;

        CompletesWhenAsked(int question) {
            this.question = question;
        }

        @Override
        public boolean isDone() {
            asked++;
            if (asked == question) {
                complete("answer");
            }
            return super.isDone();
        }
    }

    private static boolean interruptedWait(CompletableFuture<?> future) {
        Thread.currentThread().interrupt();
        return Awaiting.doneUnlessInterrupted(Platform.system(), future);
    }

    @Test
    void endsByAnInterruptThatIsCleared() {
        assertThat(interruptedWait(new CompletableFuture<>())).isFalse();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void neverLosesAnInterruptThatComesWithTheAnswer() {
        for (int question = 1; question <= 3; question++) {
            boolean done = interruptedWait(new CompletesWhenAsked(question));
            assertThat(Thread.interrupted())
                    .as("interrupted, done at question %d", question)
                    .isEqualTo(done);
        }
    }
}
