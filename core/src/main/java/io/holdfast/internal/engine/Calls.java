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
 *   <li>Each call is answered or fails. It fails at its timeout, at the close of the client, if it cannot be sent, or if its
 *       reply cannot be applied. So {@link #start} throws nothing.
 *   <li>Until its answer arrives, a call fails at most once. Its phase decides the race between answer, timeout and close.
 *   <li>A call that has failed may still be answered. A late reply is handled like any other, because it shows what the store
 *       has done. A late failure is marked as late.
 *   <li>While calls are under way, a tick is scheduled.
 * </ol>
 *
 * <p>A tick checks all calls that are under way. It times out the overdue ones, in the order in which they were started. A call
 * that is overdue by more than a tick shows that the process did not run (a long garbage collection, a suspended machine). Its
 * answer may have arrived meanwhile, so it is given the time until the next tick, once.
 */
public final class Calls implements AutoCloseable {

    /** A call to the store. Subclasses send the request and handle its outcome. */
    abstract static class Call<R> {

        /** A failed call may still be answered. A call that is done is answered. */
        private enum Phase {
            OPEN,
            FAILED,
            DONE
        }

        private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.OPEN);
        private long number;
        private long timeLimit;
        private volatile long deadline;
        private boolean extended;
        private long sent;
        private long wallMillis;

        /** Returns {@code nanoTime} just before the request was sent. */
        final long sent() {
            return sent;
        }

        /**
         * Returns the validity that a positive reply proves. It lasts for the lease of the request, or shorter if the reply
         * says so.
         */
        final Validity proven(long lease, Duration valid) {
            return Validity.of(sent, wallMillis, lease, Math.min(lease, valid.toNanos()));
        }

        final long skew() {
            return Validity.skew(sent, wallMillis);
        }

        /** Returns the maximum wait for the answer, in nanoseconds. The command timeout applies if it is shorter. */
        long maxWait() {
            return Durations.NEVER;
        }

        /** Sends the request. */
        abstract CompletionStage<R> send();

        abstract void replied(R reply);

        /**
         * Handles a failure.
         *
         * @param late {@code true} if a failure was already reported, because the call timed out or the client was closed
         */
        abstract void failed(StoreException cause, boolean late);
    }

    private static final long TICKS_PER_TIMEOUT = 8;

    private final Engine engine;
    private final Platform platform;

    /** Sends the calls: on the caller's thread, or on a pool if the store blocks. */
    private final Executor senders;

    private final long timeoutNanos;
    private final Map<Long, Call<?>> underWay = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();
    private final WakeUp ticks;
    private final long interval;

    Calls(Engine engine, Executor senders) {
        this.engine = engine;
        this.platform = engine.platform;
        this.senders = senders;
        this.timeoutNanos = engine.settings.store().commandTimeout().toNanos();
        this.interval = timeoutNanos / TICKS_PER_TIMEOUT;
        this.ticks = new WakeUp((tick, nanos) -> engine.tasks.run(nanos, tick), timeoutNanos, this::tick);
    }

    <R> void start(Call<R> call) {
        start(call, senders);
    }

    <R> void start(Call<R> call, Executor sender) {
        try {
            submit(call, sender);
        } catch (Throwable e) {
            fail(call, new StoreException(Effect.NOT_APPLIED, "could not be sent: " + e, e));
        }
    }

    private <R> void submit(Call<R> call, Executor sender) {
        engine.counters.storeCalls.increment();
        long now = platform.nanoTime();
        call.timeLimit = Math.min(timeoutNanos, call.maxWait());
        call.deadline = now + call.timeLimit;
        call.number = numbers.incrementAndGet();
        underWay.put(call.number, call);
        // close race: the call is added first. So either this check sees the close, or the close sees the call
        if (engine.tasks.callsClosed) {
            fail(call, closed(Effect.NOT_APPLIED));
            return;
        }
        ticks.wakeBy(now + Math.min(call.timeLimit, interval), now);
        sender.execute(() -> send(call));
    }

    /** Starts a call, and returns a future for its outcome. The future always completes, with a reply or an error. */
    public <R> CompletableFuture<R> ask(Supplier<CompletionStage<R>> request) {
        CompletableFuture<R> answer = new CompletableFuture<>();
        start(new Call<R>() {
            @Override
            CompletionStage<R> send() {
                return request.get();
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

    /** Passes the answer to the call. A reply that cannot be applied fails the call, so that its waiter is notified. */
    private <R> void answered(Call<R> call, @Nullable R reply, @Nullable Throwable error) {
        boolean late = call.phase.getAndSet(Call.Phase.DONE) == Call.Phase.FAILED;
        underWay.remove(call.number);
        if (reply == null) {
            reportFailure(call, cause(error), late);
            return;
        }
        engine.health.answered();
        try {
            call.replied(reply);
        } catch (Throwable e) {
            engine.events.failure("an answer of " + engine.store.describe(), e);
            reportFailure(call, cause(e), late);
        }
    }

    private void reportFailure(Call<?> call, StoreException cause, boolean late) {
        engine.counters.storeFailures.increment();
        engine.health.failed(cause);
        try {
            call.failed(cause, late);
        } catch (Throwable e) {
            engine.events.failure("a failed call of " + engine.store.describe(), e);
        }
    }

    /** Fails the call, unless it was answered or has already failed. */
    private void fail(Call<?> call, StoreException cause) {
        underWay.remove(call.number);
        if (call.phase.compareAndSet(Call.Phase.OPEN, Call.Phase.FAILED)) {
            reportFailure(call, cause, false);
        }
    }

    private StoreException cause(@Nullable Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return cause instanceof StoreException known
                ? known
                : new StoreException(Effect.UNKNOWN, engine.store.describe() + " failed unexpectedly: " + cause, cause);
    }

    /** Times out overdue calls, and schedules the next tick. */
    private void tick() {
        long now = platform.nanoTime();
        try {
            underWay.values().stream()
                    .filter(call -> isOver(call, now))
                    .sorted(Comparator.comparingLong(call -> call.number))
                    .forEach(call -> fail(call, noAnswer(call)));
        } finally {
            scheduleNextTick(now);
        }
    }

    private boolean isOver(Call<?> call, long now) {
        if (now - call.deadline > interval && !call.extended) {
            call.extended = true;
            call.deadline = now + interval;
        }
        return now - call.deadline >= 0;
    }

    private void scheduleNextTick(long now) {
        underWay.values().stream()
                .mapToLong(call -> call.deadline - now)
                .min()
                .ifPresent(left -> ticks.wakeBy(now + Math.min(left, interval), now));
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
     * Returns {@code true} if the close of the client fully explains the failure. It does not if a change may have been
     * applied: the unknown outcome has to be reported.
     */
    boolean isEndedByClose(StoreException cause, boolean changes) {
        return engine.tasks.callsClosed && !(changes && cause.effect().mayBeApplied());
    }

    /** Fails all calls that are under way, and all that are started from now on. */
    @Override
    public void close() {
        engine.tasks.callsClosed = true;
        underWay.values().forEach(call -> fail(call, closed(Effect.UNKNOWN)));
    }
}
