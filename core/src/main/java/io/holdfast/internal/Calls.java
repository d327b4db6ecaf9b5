package io.holdfast.internal;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls to the store under way, each answered in time or timed out.
 *
 * <p>A tick now and then looks at all that are under way, and times out those whose time is up, in the order in which they
 * were sent. An answer after the timeout is still passed on, marked as late.
 */
final class Calls implements AutoCloseable {

    /** One call; subclasses say what is sent and what comes of the answer. */
    abstract static class Call<R> {

        private enum Phase {
            OPEN,
            TIMED_OUT,
            DONE
        }

        private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.OPEN);
        private long number;
        private long deadline;
        private long sent;
        private long wallMillis;

        /** {@code nanoTime} just before it was sent. */
        final long sent() {
            return sent;
        }

        /** Counts as sent with the other one. */
        final void sentWith(Call<?> other) {
            sent = other.sent;
            wallMillis = other.wallMillis;
        }

        /** What a positive reply proves for a lease asked for with this call. */
        final Validity proven(long lease) {
            return Validity.of(sent, wallMillis, lease);
        }

        final long skew() {
            return Validity.skew(sent, wallMillis);
        }

        /** Sends the request. */
        abstract CompletionStage<R> send();

        abstract void replied(R reply);

        /** @param late whether it had timed out before, so that a failure was reported already */
        abstract void failed(StoreException cause, boolean late);
    }

    private static final long TICKS_PER_TIMEOUT = 8;

    private final Engine engine;
    private final Platform platform;
    private final Executor senders;
    private final long timeoutNanos;
    private final Map<Long, Call<?>> underWay = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicBoolean ticking = new AtomicBoolean();
    private volatile boolean closed;

    /** @param senders runs the calls: on the caller's thread, or on a pool for a store that blocks */
    Calls(Engine engine, Executor senders) {
        this.engine = engine;
        this.platform = engine.platform;
        this.senders = senders;
        this.timeoutNanos = engine.settings.store().commandTimeout().toNanos();
    }

    <R> void start(Call<R> call) {
        start(call, senders);
    }

    <R> void start(Call<R> call, Executor sender) {
        engine.counters.storeCalls.increment();
        call.deadline = platform.nanoTime() + timeoutNanos;
        call.number = numbers.incrementAndGet();
        underWay.put(call.number, call);
        tickLater(timeoutNanos / TICKS_PER_TIMEOUT);
        sender.execute(() -> send(call));
    }

    /** Starts a call that somebody waits for; always completes: with an answer, an error, or the timeout. */
    <R> CompletableFuture<R> ask(Supplier<CompletionStage<R>> question) {
        CompletableFuture<R> answer = new CompletableFuture<>();
        start(new Call<R>() {
            @Override
            CompletionStage<R> send() {
                return question.get();
            }

            @Override
            void replied(R reply) {
                answer.complete(reply);
            }

            @Override
            void failed(StoreException cause, boolean late) {
                answer.completeExceptionally(cause);
            }
        });
        return answer;
    }

    private <R> void send(Call<R> call) {
        if (call.phase.get() != Call.Phase.OPEN) {
            call.failed(
                    new StoreException(Effect.NOT_APPLIED, "not sent to " + engine.store.describe() + " in time"),
                    true);
            return;
        }
        call.wallMillis = platform.wallMillis();
        call.sent = platform.nanoTime();
        try {
            CompletionStage<R> stage = call.send();
            stage.whenComplete((reply, error) -> answered(call, reply, error));
        } catch (RuntimeException e) {
            answered(call, null, e);
        }
    }

    private <R> void answered(Call<R> call, @Nullable R reply, @Nullable Throwable error) {
        boolean late = call.phase.getAndSet(Call.Phase.DONE) == Call.Phase.TIMED_OUT;
        underWay.remove(call.number);
        try {
            if (reply != null) {
                call.replied(reply);
            } else {
                engine.counters.storeFailures.increment();
                call.failed(cause(error), late);
            }
        } catch (RuntimeException e) {
            engine.events.failure("an answer of " + engine.store.describe(), e);
        }
    }

    private StoreException cause(@Nullable Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return cause instanceof StoreException known
                ? known
                : new StoreException(Effect.UNKNOWN, engine.store.describe() + " failed unexpectedly: " + cause, cause);
    }

    private void tickLater(long nanos) {
        if (!closed && ticking.compareAndSet(false, true)) {
            engine.later.run(nanos, this::tick);
        }
    }

    private void tick() {
        ticking.set(false);
        long now = platform.nanoTime();
        underWay.values().stream()
                .filter(call -> now - call.deadline >= 0)
                .sorted(Comparator.comparingLong(call -> call.number))
                .forEach(this::timeOut);
        underWay.values().stream()
                .mapToLong(call -> call.deadline - now)
                .min()
                .ifPresent(left -> tickLater(Math.max(0, Math.min(left, timeoutNanos / TICKS_PER_TIMEOUT))));
    }

    private void timeOut(Call<?> call) {
        underWay.remove(call.number);
        if (call.phase.compareAndSet(Call.Phase.OPEN, Call.Phase.TIMED_OUT)) {
            engine.counters.storeFailures.increment();
            String text = "no answer from " + engine.store.describe() + " within " + timeoutNanos / 1_000_000 + " ms";
            call.failed(new StoreException(Effect.UNKNOWN, text), false);
        }
    }

    /** Stops the clock; calls under way are not timed out any more. */
    @Override
    public void close() {
        closed = true;
        underWay.clear();
    }
}
