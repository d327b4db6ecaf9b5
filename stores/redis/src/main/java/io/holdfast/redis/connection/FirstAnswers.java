package io.holdfast.redis.connection;

import io.holdfast.spi.Platform;
import io.holdfast.support.NothingListens;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The answers of several servers to the same question. All servers are asked at once, so that a server that hangs does not delay
 * the others for long. The latest of the answers is chosen 100 ms after a majority has answered, and 1 s after the first answer at
 * the latest. So a server that is cut off from the others does not decide because it is the nearest one.
 *
 * @param <A> the type of an answer
 */
public final class FirstAnswers<A> {

    private static final long EXTRA_NANOS = 100_000_000;
    private static final long MINORITY_NANOS = 1_000_000_000;

    private final List<CompletableFuture<A>> answers;
    private final CompletableFuture<Void> done = new CompletableFuture<>();

    /**
     * Creates the answers of servers that were asked.
     *
     * @param limit the time after which the answers that have arrived are all
     */
    public FirstAnswers(Platform.Timer timer, Duration limit, List<CompletableFuture<A>> answers) {
        this.answers = answers;
        timer.schedule(limit.toNanos(), () -> done.complete(null));
        var unused = CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
                .whenComplete((nothing, error) -> done.complete(null));
        AtomicInteger answered = new AtomicInteger();
        for (CompletionStage<A> answer : answers) {
            answer.thenAccept(known -> {
                boolean majority = answered.incrementAndGet() > answers.size() / 2;
                timer.schedule(majority ? EXTRA_NANOS : MINORITY_NANOS, () -> done.complete(null));
            });
        }
    }

    /** Returns the last answer in the given order. Fails if no server has answered in time. */
    public CompletionStage<A> latest(Comparator<A> order) {
        return present().thenApply(present -> Collections.max(present, order));
    }

    /** Returns the answers, at least one. Fails if no server has answered in time. */
    CompletionStage<List<A>> present() {
        return done.thenApply(nothing -> present(answers));
    }

    private static <A> List<A> present(List<CompletableFuture<A>> answers) {
        List<A> present = answers.stream()
                .filter(answer -> answer.isDone() && !answer.isCompletedExceptionally())
                .map(CompletableFuture::join)
                .toList();
        if (present.isEmpty()) {
            throw failure(answers);
        }
        return present;
    }

    /**
     * Returns the error to report. A missing answer is preferred to an error answer, because that server may still recover. That nothing
     * listens is reported only if that is so at all.
     */
    private static <A> CompletionException failure(List<CompletableFuture<A>> answers) {
        return new CompletionException(answers.stream()
                .map(FirstAnswers::error)
                .min(Comparator.comparing(RedisFailures::isAnswer).thenComparing(NothingListens::isCauseOf))
                .orElseThrow());
    }

    private static Throwable error(CompletableFuture<?> answer) {
        return answer.isDone()
                ? answer.<Throwable>handle((known, error) -> error).join()
                : new TimeoutException();
    }
}
