package io.holdfast.internal.engine;

import io.holdfast.internal.access.Durations;
import io.holdfast.internal.slot.Validity;
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
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls to the store under way. Each one is answered or fails: by the store, by its timeout, by the close of the client, or
 * because it could not be sent. So {@link #start} throws nothing.
 *
 * <p>A tick now and then looks at all that are under way, and times out those whose time is up, in the order in which they
 * were sent. An answer after the timeout is still passed on, marked as late.
 */
public final class Calls implements AutoCloseable {

    /** One call; subclasses say what is sent and what comes of the answer. */
    abstract static class Call<R> {

        private enum Phase {
            OPEN,
            FAILED,
            DONE
        }

        private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.OPEN);
        private long number;
        private long timeLimit;
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

        /** How long to wait for the answer, at most, in nanoseconds; never more than the command timeout counts. */
        long patience() {
            return Durations.NEVER;
        }

        /** Sends the request. */
        abstract CompletionStage<R> send();

        abstract void replied(R reply);

        /** @param late whether a failure was reported already, as it had timed out before or the client was closed */
        abstract void failed(StoreException cause, boolean late);
    }

    private static final long TICKS_PER_TIMEOUT = 8;

    private final Engine engine;
    private final Platform platform;
    private final Executor senders;
    private final long timeoutNanos;
    private final Map<Long, Call<?>> underWay = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicLong tickAt = new AtomicLong(Durations.NEVER);
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
        try {
            begin(call, sender);
        } catch (Throwable e) {
            fail(call, new StoreException(Effect.NOT_APPLIED, "could not be sent: " + e, e));
        }
    }

    private <R> void begin(Call<R> call, Executor sender) {
        engine.counters.storeCalls.increment();
        long now = platform.nanoTime();
        call.timeLimit = Math.min(timeoutNanos, call.patience());
        call.deadline = now + call.timeLimit;
        call.number = numbers.incrementAndGet();
        underWay.put(call.number, call);
        // looked at after it is there: either this sees the close, or the close sees it
        if (closed) {
            fail(call, closed(Effect.NOT_APPLIED));
            return;
        }
        tickLater(now, Math.min(call.timeLimit, timeoutNanos / TICKS_PER_TIMEOUT));
        sender.execute(() -> send(call));
    }

    /** Starts a call that somebody waits for; always completes: with an answer or an error. */
    public <R> CompletableFuture<R> ask(Supplier<CompletionStage<R>> question) {
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
        } catch (Throwable e) {
            answered(call, null, e);
        }
    }

    /** A reply that cannot be applied fails the call: whoever waits for it is told. */
    private <R> void answered(Call<R> call, @Nullable R reply, @Nullable Throwable error) {
        boolean late = call.phase.getAndSet(Call.Phase.DONE) == Call.Phase.FAILED;
        underWay.remove(call.number);
        if (reply == null) {
            failed(call, cause(error), late);
            return;
        }
        try {
            call.replied(reply);
        } catch (Throwable e) {
            engine.events.failure("an answer of " + engine.store.describe(), e);
            failed(call, cause(e), late);
        }
    }

    private void failed(Call<?> call, StoreException cause, boolean late) {
        engine.counters.storeFailures.increment();
        try {
            call.failed(cause, late);
        } catch (Throwable e) {
            engine.events.failure("a failed call of " + engine.store.describe(), e);
        }
    }

    /** Unless it was answered, or has failed. */
    private void fail(Call<?> call, StoreException cause) {
        underWay.remove(call.number);
        if (call.phase.compareAndSet(Call.Phase.OPEN, Call.Phase.FAILED)) {
            failed(call, cause, false);
        }
    }

    private StoreException cause(@Nullable Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return cause instanceof StoreException known
                ? known
                : new StoreException(Effect.UNKNOWN, engine.store.describe() + " failed unexpectedly: " + cause, cause);
    }

    /** Plans a tick, unless an earlier one is coming. A tick that is overdue was lost, and is planned anew. */
    private void tickLater(long now, long nanos) {
        long at = now + nanos;
        long planned = tickAt.get();
        boolean coming = planned != Durations.NEVER && planned - at <= 0 && now - planned < timeoutNanos;
        if (!coming && tickAt.compareAndSet(planned, at)) {
            plan(at, nanos);
        }
    }

    private void plan(long at, long nanos) {
        try {
            engine.timers.run(nanos, () -> tick(at));
        } catch (Throwable e) {
            // no tick is coming: the next call is to plan one
            tickAt.compareAndSet(at, Durations.NEVER);
            throw e;
        }
    }

    /** Does nothing if an earlier tick was planned since, which plans the next one. */
    private void tick(long at) {
        if (!tickAt.compareAndSet(at, Durations.NEVER)) {
            return;
        }
        long now = platform.nanoTime();
        try {
            underWay.values().stream()
                    .filter(call -> now - call.deadline >= 0)
                    .sorted(Comparator.comparingLong(call -> call.number))
                    .forEach(call -> fail(call, noAnswer(call)));
        } finally {
            tickAgain(now);
        }
    }

    private void tickAgain(long now) {
        underWay.values().stream()
                .mapToLong(call -> call.deadline - now)
                .min()
                .ifPresent(left -> tickLater(now, Math.max(0, Math.min(left, timeoutNanos / TICKS_PER_TIMEOUT))));
    }

    private StoreException noAnswer(Call<?> call) {
        return new StoreException(
                Effect.UNKNOWN,
                "no answer from " + engine.store.describe() + " within " + call.timeLimit / 1_000_000 + " ms");
    }

    private StoreException closed(Effect effect) {
        return new StoreException(effect, "the client " + engine.settings.name() + " was closed");
    }

    boolean isClosed() {
        return closed;
    }

    /** Whether the close is all that the failure says: a change that may have been made is more. */
    boolean isEndedByClose(StoreException cause, boolean changes) {
        return closed && !(changes && cause.effect().mayBeApplied());
    }

    /** Fails all that is under way, and all that is started from now on. */
    @Override
    public void close() {
        closed = true;
        underWay.values().forEach(call -> fail(call, closed(Effect.UNKNOWN)));
    }
}
