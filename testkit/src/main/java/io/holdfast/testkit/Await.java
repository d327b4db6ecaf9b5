package io.holdfast.testkit;

import io.holdfast.HoldfastException;
import io.holdfast.IndeterminateLockException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits for expected events in real time. Fails if an event does not occur within three minutes, which is long for a busy machine.
 * The system property {@code holdfast.await} sets another limit, in seconds.
 */
public final class Await {

    private static final Duration LIMIT = Duration.ofSeconds(Long.getLong("holdfast.await", 180));
    private static final long STEP_NANOS = 1_000_000;

    private Await() {}

    /** Waits until the condition holds. A store that does not answer it in time, as on a busy machine, is asked again. */
    public static void until(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            HoldfastException unanswered = null;
            try {
                if (condition.getAsBoolean()) {
                    return;
                }
            } catch (StoreUnavailableException | IndeterminateLockException e) {
                unanswered = e;
            }
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("did not happen within " + LIMIT.toSeconds() + " s: " + what, unanswered);
            }
            LockSupport.parkNanos(STEP_NANOS);
        }
    }

    /** Waits until the clients whose thread names begin with the prefix have ended and have written their log entries. */
    public static void threadsGone(String prefix) {
        until(
                "the threads " + prefix + " are gone",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith(prefix)));
    }

    /** Repeats a request until the store answers it. What an attempt without an answer has acquired is granted again. */
    public static <T> T answer(Supplier<T> request) {
        List<T> answers = new ArrayList<>();
        until("an answer", () -> {
            try {
                return answers.add(request.get());
            } catch (StoreException e) {
                return false;
            }
        });
        return answers.get(0);
    }

    /** Returns the value of the stage, or throws its failure. */
    public static <T> T reply(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(LIMIT.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError(e);
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }
}
