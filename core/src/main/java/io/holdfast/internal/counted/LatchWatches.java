package io.holdfast.internal.counted;

import static io.holdfast.spi.Names.quoted;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.LatchCount;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.slot.HoldSpec;
import io.holdfast.internal.slot.Slot;
import io.holdfast.spi.LatchReport;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The waits for latches in this client. All waits for one latch share one call. The call is repeated when the store notifies
 * this client of a change, and after a poll interval in any case.
 *
 * <ol>
 *   <li>One mutex guards all state. Neither the store nor a wait is called under it. The effects of an event are carried out
 *       after the mutex is free.
 *   <li>At most one call for the waits of a latch is under way.
 *   <li>A change that is reported during such a call is not missed, because another call follows (lost wake-up).
 *   <li>While a latch has waits, a call or a poll is pending. This holds even if the handling of an answer fails.
 * </ol>
 */
public final class LatchWatches {

    /** The waits for one latch. */
    private static final class Watch {

        final List<LatchWait> waits = new ArrayList<>(1);
        boolean asking;
        boolean askAgain;
        boolean listening;
        long pollNumber;
        int failures;
        long askedAt;
        long outageSince;
    }

    private final Counting counting;
    private final Platform platform;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Map<String, Watch> watches = new HashMap<>();

    public LatchWatches(Counting counting) {
        this.counting = counting;
        this.platform = counting.platform();
    }

    /**
     * Starts a wait of at most the given number of nanoseconds. With zero or less, the wait ends with the first answer of the
     * store.
     */
    LatchWait start(String name, long nanos) {
        counting.requireOpen("latch", name);
        LatchWait wait = new LatchWait(name, platform.nanoTime());
        locked(() -> watches.computeIfAbsent(name, absent -> new Watch()).waits.add(wait));
        try {
            start(wait, nanos);
        } catch (Throwable e) {
            remove(wait);
            throw e;
        }
        return wait;
    }

    private void start(LatchWait wait, long nanos) {
        Awaiting.whenDone(wait.opened, () -> remove(wait));
        // race with close: a close that ran just before may not have seen this wait
        if (counting.tasks().isClosed()) {
            close();
        }
        ask(wait.name);
        if (nanos <= 0) {
            wait.timeOut();
        } else if (nanos != Durations.NEVER) {
            var timer = counting.tasks().run(nanos, wait::timeOut);
            Awaiting.whenDone(wait.opened, timer::cancel);
        }
    }

    /** Returns the count of a latch; empty if it is not set. */
    public Optional<LatchCount> inspect(String name) {
        counting.requireOpen("latch", name);
        return Optional.of(report(name))
                .filter(report -> report.set().isPresent())
                .map(report -> new LatchCount(name, report.count()));
    }

    /** Returns the store's report on the latch. If this client waits for the latch, it continues to listen. */
    LatchReport report(String name) {
        counting.requireOpen("latch", name);
        boolean listening = locked(() -> watches.containsKey(name));
        return counting.join(
                "latch", name, listening ? counting.ask(store -> store.latch(name, true)) : unsubscribe(name), false);
    }

    /**
     * Asks without listening, which ends the subscription of this client. If a wait has started in the meantime, this request
     * may reach the store after the request that subscribed that wait. So the waits ask again (lost wake-up).
     */
    @CanIgnoreReturnValue
    private CompletableFuture<LatchReport> unsubscribe(String name) {
        return counting.ask(store -> store.latch(name, false)).whenComplete((report, error) -> ask(name));
    }

    /** Asks again for a latch that has changed. If signals may have been missed, asks for all latches. */
    public void signal(Signal signal) {
        if (signal instanceof Signal.Changed changed) {
            ask(changed.name());
        } else if (signal instanceof Signal.Gap) {
            locked(() -> List.copyOf(watches.keySet())).forEach(this::ask);
        }
    }

    /** Ends all waits, because the client is closed. */
    public void close() {
        List<LatchWait> all = locked(() ->
                watches.values().stream().flatMap(watch -> watch.waits.stream()).toList());
        all.forEach(wait -> wait.fail(new IllegalStateException("latch " + quoted(wait.name) + ": the client "
                + counting.settings().name() + " is closed")));
    }

    private void remove(LatchWait wait) {
        boolean unsubscribe = locked(() -> {
            Watch watch = watches.get(wait.name);
            if (watch == null || !watch.waits.remove(wait) || !watch.waits.isEmpty()) {
                return false;
            }
            watches.remove(wait.name);
            return watch.listening;
        });
        if (unsubscribe) {
            // if this request is lost, at most one needless message arrives, within a minute
            unsubscribe(wait.name);
        }
    }

    // ---- asking

    private void ask(String name) {
        List<LatchWait> waits = locked(() -> {
            Watch watch = watches.get(name);
            if (watch == null || watch.asking) {
                markAskAgain(watch);
                return List.of();
            }
            watch.asking = true;
            watch.askAgain = false;
            watch.listening = true;
            watch.askedAt = platform.nanoTime();
            return List.copyOf(watch.waits);
        });
        if (!waits.isEmpty()) {
            CompletableFuture<LatchReport> answer = counting.ask(store -> store.latch(name, true));
            var unused = answer.whenComplete((report, error) -> answered(name, waits, report, error));
            limitAnswer(answer, locked(() -> patience(watches.get(name))));
        }
    }

    /** Fails a request that is not answered within the patience of its waits. */
    private void limitAnswer(CompletableFuture<?> answer, long patience) {
        if (counting.config().command() - patience > Slot.FIRST_BACKOFF_NANOS) {
            var silence = new StoreException(
                    StoreException.Effect.UNKNOWN,
                    "no answer from " + counting.store().describe() + " in time");
            var timer = counting.tasks().run(patience, () -> answer.completeExceptionally(silence));
            Awaiting.whenDone(answer, timer::cancel);
        }
    }

    /**
     * Returns the patience of the waits: the nanoseconds from now for which all of them tolerate a store that does not answer.
     */
    private long patience(@Nullable Watch watch) {
        long now = platform.nanoTime();
        return Stream.ofNullable(watch)
                .flatMap(any -> any.waits.stream()
                        .map(wait -> wait.patience(any.failures == 0 ? now : any.outageSince, counting.config())))
                .mapToLong(limit -> Math.max(1, limit - now))
                .min()
                .orElse(Durations.NEVER);
    }

    private static void markAskAgain(@Nullable Watch watch) {
        if (watch != null) {
            watch.askAgain = true;
        }
    }

    /** Handles an answer. Then continues to ask, even if the handling failed. */
    private void answered(String name, List<LatchWait> waits, @Nullable LatchReport report, @Nullable Throwable error) {
        try {
            deliver(name, waits, report, error);
        } catch (Throwable e) {
            counting.tasks().logFailure("latch " + quoted(name) + ": an answer", e);
        } finally {
            continueAsking(name);
        }
    }

    private void deliver(String name, List<LatchWait> waits, @Nullable LatchReport report, @Nullable Throwable error) {
        if (report != null) {
            locked(() -> recordAnswer(name, report));
            waits.forEach(wait -> wait.onReport(report));
        } else if (error instanceof StoreException cause) {
            long since = locked(() -> recordFailure(name));
            waits.forEach(wait -> endIfOverdue(wait, cause, since));
        }
    }

    private void continueAsking(String name) {
        boolean now = locked(() -> {
            Watch watch = watches.get(name);
            if (watch != null) {
                watch.asking = false;
            }
            return watch != null && watch.askAgain;
        });
        if (now) {
            ask(name);
        } else {
            schedulePoll(name);
        }
    }

    private boolean recordAnswer(String name, LatchReport report) {
        Watch watch = watches.get(name);
        if (watch != null) {
            watch.failures = 0;
            watch.listening = report.count() > 0;
        }
        return watch != null;
    }

    /** Counts a missing answer. Returns the start of the outage: the time when the first unanswered request was sent. */
    private long recordFailure(String name) {
        Watch watch = watches.get(name);
        if (watch == null) {
            return platform.nanoTime();
        }
        watch.outageSince = watch.failures++ == 0 ? watch.askedAt : watch.outageSince;
        return watch.outageSince;
    }

    private void endIfOverdue(LatchWait wait, StoreException cause, long since) {
        boolean over = platform.nanoTime() - wait.patience(since, counting.config()) >= 0;
        if (over || cause.effect() == StoreException.Effect.REFUSED) {
            wait.fail(Counting.failure("latch", wait.name, false, cause));
        }
    }

    private void schedulePoll(String name) {
        long[] number = {0};
        long delay = locked(() -> {
            Watch watch = watches.get(name);
            if (watch == null) {
                return Durations.NEVER;
            }
            number[0] = ++watch.pollNumber;
            long pause = watch.failures == 0
                    ? counting.config().poll()
                    : HoldSpec.doubled(Slot.FIRST_BACKOFF_NANOS, watch.failures - 1, Slot.MAX_BACKOFF_NANOS);
            return Math.min(counting.config().client().jittered(pause), patience(watch));
        });
        if (delay != Durations.NEVER) {
            counting.tasks().run(delay, () -> poll(name, number[0]));
        }
    }

    private void poll(String name, long number) {
        boolean due = locked(() -> {
            Watch watch = watches.get(name);
            return watch != null && watch.pollNumber == number;
        });
        if (due) {
            ask(name);
        }
    }

    private <T> T locked(Supplier<T> action) {
        mutex.lock();
        try {
            return action.get();
        } finally {
            mutex.unlock();
        }
    }
}
