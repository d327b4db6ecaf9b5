package io.holdfast.redis.connection;

import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;

/**
 * The answers of several servers that are asked the same question at once, so that a server that hangs delays nobody. It waits
 * until 100 ms after the first answer, and then takes the latest of the answers.
 *
 * @param <A> the type of an answer
 */
public final class FirstAnswers<A> {

    private static final long MOMENT_NANOS = 100_000_000;

    private final List<CompletableFuture<A>> answers;
    private final CompletableFuture<Void> enough = new CompletableFuture<>();

    /**
     * Creates the answers of servers that were asked.
     *
     * @param limit the time limit for the first answer
     */
    public FirstAnswers(Platform.Timer timer, Duration limit, List<CompletableFuture<A>> answers) {
        this.answers = answers;
        timer.schedule(limit.toNanos(), () -> enough.complete(null));
        var unused = CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
                .whenComplete((nothing, error) -> enough.complete(null));
        for (CompletionStage<A> answer : answers) {
            answer.thenAccept(known -> timer.schedule(MOMENT_NANOS, () -> enough.complete(null)));
        }
    }

    /** Returns the last answer in the given order. Fails if no server has answered in time. */
    public CompletionStage<A> latest(Comparator<A> order) {
        return enough.thenApply(nothing -> latest(answers, order));
    }

    public static <A> A latest(List<CompletableFuture<A>> answers, Comparator<A> order) {
        return answers.stream()
                .filter(answer -> answer.isDone() && !answer.isCompletedExceptionally())
                .map(CompletableFuture::join)
                .max(order)
                .orElseThrow(() -> failure(answers));
    }

    /** Returns the error to report. An error without an answer is preferred, because that server may still answer otherwise. */
    private static <A> CompletionException failure(List<CompletableFuture<A>> answers) {
        return new CompletionException(answers.stream()
                .map(FirstAnswers::error)
                .min(Comparator.comparing(RedisFailures::isAnswer))
                .orElseThrow());
    }

    private static Throwable error(CompletableFuture<?> answer) {
        return answer.isDone()
                ? answer.<Throwable>handle((known, error) -> error).join()
                : new TimeoutException();
    }
}
