package io.holdfast.internal.engine;

import io.holdfast.internal.access.Durations;
import io.holdfast.internal.slot.Validity;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.time.Duration;
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
 * The calls to the store that are under way.
 *
 * <ol>
 *   <li>Each call is answered or fails. It ends by the answer of the store, by its timeout, or by the close of the client. It
 *       also ends if it could not be sent, or if its reply could not be applied. So {@link #start} throws nothing.
 *   <li>A call that has timed out, or was ended by the close, still receives a later answer. A late reply is passed on like any
 *       other, because it shows what the store has done. A late failure is marked as late.
 *   <li>While calls are under way, a tick is planned.
 * </ol>
 *
 * <p>A tick looks at all calls that are under way. It times out those whose time is up, in the order in which they were
 * started.
 */
public final class Calls implements AutoCloseable {

    /** A call to the store. Subclasses send the request and handle its outcome. */
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

        /** Returns {@code nanoTime} just before the request was sent. */
        final long sent() {
            return sent;
        }

        /** Takes the send time of the other call, which carries this one. */
        final void sentWith(Call<?> other) {
            sent = other.sent;
            wallMillis = other.wallMillis;
        }

        /** Returns the validity that a positive reply proves: for the lease of the request, or for less if it promises less. */
        final Validity proven(long lease, Duration valid) {
            return Validity.of(sent, wallMillis, Math.min(lease, valid.toNanos()));
        }

        final long skew() {
            return Validity.skew(sent, wallMillis);
        }

        /** Returns the maximum wait for the answer, in nanoseconds. The command timeout applies if it is shorter. */
        long patience() {
            return Durations.NEVER;
        }

        /** Sends the request. */
        abstract CompletionStage<R> send();

        abstract void replied(R reply);

        /**
         * Handles a failure.
         *
         * @param late {@code true} if a failure was reported before, because the call timed out or the client was closed
         */
        abstract void failed(StoreException cause, boolean late);
    }

    private static final long TICKS_PER_TIMEOUT = 8;

    private final Engine engine;
    private final Platform platform;

    /** Runs the calls: on the caller's thread, or on a pool for a store that blocks. */
    private final Executor senders;

    private final long timeoutNanos;
    private final Map<Long, Call<?>> underWay = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();
    private final WakeUp ticks;

    Calls(Engine engine, Executor senders) {
        this.engine = engine;
        this.platform = engine.platform;
        this.senders = senders;
        this.timeoutNanos = engine.settings.store().commandTimeout().toNanos();
        this.ticks = new WakeUp((tick, nanos) -> engine.tasks.run(nanos, tick), timeoutNanos, this::tick);
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
        // close race: checked after the call was added. Either this check sees the close, or the close sees the call
        if (engine.tasks.callsEnded) {
            fail(call, closed(Effect.NOT_APPLIED));
            return;
        }
        ticks.by(now + Math.min(call.timeLimit, timeoutNanos / TICKS_PER_TIMEOUT), now);
        sender.execute(() -> send(call));
    }

    /** Starts a call that somebody waits for. The future always completes, with a reply or an error. */
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

    /** Passes the answer on. A reply that cannot be applied fails the call, so that its waiter is notified. */
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

    /** Fails the call, unless it was answered or has failed before. */
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

    /** Times out overdue calls, and plans the next tick. */
    private void tick() {
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
                .ifPresent(left -> ticks.by(now + Math.min(left, timeoutNanos / TICKS_PER_TIMEOUT), now));
    }

    private StoreException noAnswer(Call<?> call) {
        return new StoreException(
                Effect.UNKNOWN,
                "no answer from " + engine.store.describe() + " within " + call.timeLimit / 1_000_000 + " ms");
    }

    private StoreException closed(Effect effect) {
        return new StoreException(effect, "the client " + engine.settings.name() + " was closed");
    }

    /**
     * Returns {@code true} if the failure says no more than that the client was closed. A change that may have been applied
     * says more.
     */
    boolean isEndedByClose(StoreException cause, boolean changes) {
        return engine.tasks.callsEnded && !(changes && cause.effect().mayBeApplied());
    }

    /** Fails all calls that are under way, and all that are started from now on. */
    @Override
    public void close() {
        engine.tasks.callsEnded = true;
        underWay.values().forEach(call -> fail(call, closed(Effect.UNKNOWN)));
    }
}
