package io.holdfast.redis.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Platform;
import io.holdfast.spi.TenureId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** When a client asks for a name that it has released; with a timer that goes off by hand. */
class YieldDelayTest {

    private final List<Long> delays = new ArrayList<>();
    private final List<Runnable> tasks = new ArrayList<>();
    private final YieldDelay delay = new YieldDelay(new Platform.Timer() {
        @Override
        public Platform.Task schedule(long delayNanos, Runnable task) {
            delays.add(delayNanos);
            tasks.add(task);
            return () -> tasks.remove(task);
        }

        @Override
        public void close() {}
    });
    private final CompletableFuture<Boolean> othersWait = new CompletableFuture<>();

    private CompletableFuture<String> ask(String name) {
        CompletionStage<String> asked =
                delay.delay(name, new TenureId("c", 1), () -> CompletableFuture.completedStage("sent"));
        return asked.toCompletableFuture();
    }

    @Test
    void ifOthersWaitItIsAMillisecondAfterTheAnswer() {
        delay.released("n", othersWait);
        CompletableFuture<String> asked = ask("n");
        assertThat(ask("other")).isCompletedWithValue("sent");
        othersWait.complete(true);
        assertThat(asked).isNotDone();
        assertThat(delays).containsExactly(1_000_000L);
        tasks.get(0).run();
        assertThat(asked).isCompletedWithValue("sent");
        assertThat(ask("n")).isCompletedWithValue("sent");
    }

    @Test
    void ifNobodyWaitsItIsAtTheAnswer() {
        delay.released("n", othersWait);
        CompletableFuture<String> asked = ask("n");
        assertThat(asked).isNotDone();
        othersWait.complete(false);
        assertThat(asked).isCompletedWithValue("sent");
        assertThat(delays).isEmpty();
    }

    @Test
    void aReleaseThatFailsHoldsNothingBack() {
        delay.released("n", othersWait);
        CompletableFuture<String> asked = ask("n");
        othersWait.completeExceptionally(new IllegalStateException("lost"));
        assertThat(asked).isCompletedWithValue("sent");
    }

    @Test
    void theLastOfSeveralReleasesCounts() {
        delay.released("n", othersWait);
        CompletableFuture<Boolean> second = new CompletableFuture<>();
        delay.released("n", second);
        CompletableFuture<String> asked = ask("n");
        othersWait.complete(false);
        assertThat(asked).isNotDone();
        second.complete(false);
        assertThat(asked).isCompletedWithValue("sent");
    }

    @Test
    void whatIsHeldBackAtTheCloseIsDropped() {
        delay.released("n", othersWait);
        CompletableFuture<String> asked = ask("n");
        delay.close();
        assertThat(asked).isCompletedExceptionally();
        othersWait.complete(false);
        assertThat(asked).isCompletedExceptionally();
    }
}
