package io.holdfast.internal.engine;

import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.slot.Effect;
import io.holdfast.internal.slot.Hold;
import io.holdfast.internal.slot.Settlement;
import io.holdfast.internal.slot.SharedSlot;
import io.holdfast.internal.slot.Slot;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The release of holds, by their owners or by this client.
 *
 * <ol>
 *   <li>A hold ends for its owner at once. The owner waits for the store only if the release needs a verdict, and for the
 *       command timeout at most.
 *   <li>A loss that the store reports is raised even if no caller waits for the verdict any longer.
 * </ol>
 */
public final class HoldReleases {

    private static final long CONFIRM_AGAIN_NANOS = 50_000_000;

    private final Engine engine;

    HoldReleases(Engine engine) {
        this.engine = engine;
    }

    /** Ends the innermost level of a thread's hold. The last level releases the hold. */
    public void unlock(Hold hold) {
        startUnlock(hold).run();
    }

    /**
     * Ends the innermost level of a thread's hold, without waiting for the store.
     *
     * @return the rest of the unlock, which waits for the verdict of the store if one is needed
     */
    public Runnable startUnlock(Hold hold) {
        if (hold.depth() == 1) {
            return startRelease(hold);
        }
        long now = engine.platform.nanoTime();
        boolean lost = hold.lost() || !hold.tenure.unexpired(now);
        if (hold.allRenewed() && !lost) {
            var unused = hold.exit();
        } else {
            engine.event(hold.slot, (s, out) -> s.exit(hold, now, out));
        }
        if (lost) {
            engine.holds.validity().requireNotLost(hold);
        }
        return () -> {};
    }

    /**
     * Releases a hold, without waiting for the store.
     *
     * @return the rest of the release, which waits for the verdict of the store if one is needed
     */
    public Runnable startRelease(Hold hold) {
        return rest(hold, begin(hold));
    }

    /**
     * Ends a hold of {@code runOnce}. Its name stays taken until the time of the run is up, and is then released. If the time
     * is already up, the hold is released as usual. So is a hold that stays in doubt, because nobody learns of a loss that is found
     * after the run.
     */
    public void releaseWhenDue(Hold hold) {
        if (hold.minHoldLeft(engine.platform.nanoTime()) > 0) {
            confirmUntilCertain(hold);
        }
        if (isInDoubt(hold)) {
            startRelease(hold).run();
        } else {
            rest(hold, begin(hold, (s, out) -> s.releaseAfterMinHold(hold, engine.platform.nanoTime(), out)))
                    .run();
        }
    }

    /**
     * Asks the store whether it has lost the hold, as a release does. This repeats the question within the command timeout, because
     * there may be no connection, and because an answer may prove too little for a hold in doubt.
     */
    private void confirmUntilCertain(Hold hold) {
        long deadline = engine.platform.nanoTime() + engine.config.command();
        boolean certain = false;
        for (long left = engine.config.command();
                !certain && left > 0 && !engine.holds.validity().isOver(hold);
                left = deadline - engine.platform.nanoTime()) {
            certain = engine.holds.renewals().confirm(hold, left) && !isInDoubt(hold);
            if (!certain) {
                Awaiting.pause(engine.platform, CONFIRM_AGAIN_NANOS);
            }
        }
    }

    /** Returns the rest of a release. It waits until the command timeout has passed since this call, at most. */
    private Runnable rest(Hold hold, @Nullable Settlement settlement) {
        if (settlement == null || engine.tasks.isClosed()) {
            return () -> engine.observers.released(hold);
        }
        CompletableFuture<Void> verdict = verdict(hold, settlement);
        long deadline = engine.platform.nanoTime() + engine.config.command();
        return () -> {
            Awaiting.done(engine.platform, verdict, deadline - engine.platform.nanoTime());
            checkVerdict(hold, settlement, verdict);
            engine.observers.released(hold);
        };
    }

    /**
     * Returns a future that completes with the verdict of the store on the hold. A loss is reported before that, even if no
     * caller waits any longer.
     */
    CompletableFuture<Void> verdict(Hold hold, Settlement settlement) {
        return settlement.verdict.thenAccept(loss -> loss.ifPresent(reason -> engine.lostAtRelease(hold, reason)));
    }

    /**
     * Releases the hold without waiting. The future completes when the store answers, or after the command timeout.
     *
     * @param executor completes the future
     */
    public CompletableFuture<Void> releaseAsync(Hold hold, Executor executor) {
        try {
            Settlement settlement = begin(hold);
            if (settlement != null) {
                return settle(hold, settlement, executor);
            }
            engine.observers.released(hold);
            return CompletableFuture.completedFuture(null);
        } catch (LeaseLostException | IllegalStateException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletableFuture<Void> settle(Hold hold, Settlement settlement, Executor executor) {
        CompletableFuture<Void> verdict = verdict(hold, settlement);
        return engine.tasks
                .doneOrTimeout(verdict, engine.config.command())
                .thenRunAsync(
                        () -> {
                            checkVerdict(hold, settlement, verdict);
                            engine.observers.released(hold);
                        },
                        executor)
                .copy();
    }

    /**
     * Begins the release of a hold. A tenure that the clocks have put in doubt does not linger and is not handed over, because only
     * the store knows whether it was lost.
     */
    private @Nullable Settlement begin(Hold hold) {
        hold.doubtful = isInDoubt(hold);
        return begin(hold, (s, out) -> s.release(hold, engine.platform.nanoTime(), out));
    }

    private boolean isInDoubt(Hold hold) {
        return hold.tenure.validity.suspect(engine.platform.nanoTime(), engine.platform.wallMillis());
    }

    private @Nullable Settlement begin(Hold hold, BiConsumer<Slot, Effect.Buffer> event) {
        boolean endedBefore = hold.ended;
        engine.event(hold.slot, event);
        if (hold.lost()) {
            throw engine.holds.validity().lossException(hold);
        }
        engine.holds.validity().requireNotClosed(hold, endedBefore);
        engine.counters.releases.increment();
        if (engine.events.detailed()) {
            engine.events.detail(
                    hold.slot.share.mode(), new LockEvent.Released(hold.slot.name, hold.token, hold.owner()));
        }
        return hold.settlement;
    }

    private void checkVerdict(Hold hold, Settlement settlement, CompletableFuture<Void> verdict) {
        String name = hold.slot.name;
        if (!verdict.isDone()) {
            hold.slot.locked(hold::dropLossActions);
            engine.events.warn(
                    hold.slot.share.mode(),
                    new LockEvent.ReleaseUnconfirmed(
                            name,
                            hold.token,
                            Duration.ofNanos(Math.max(0, settlement.expiresAt - engine.platform.nanoTime())),
                            hold.tenure.lastFailure),
                    "the release continues in the background; check whether " + engine.store.describe() + " answers");
        } else if (hold.lost()) {
            throw engine.holds.validity().lossException(hold);
        }
    }

    /** Treats the owner of the hold as dead. The tenure is not released, and ends when its lease expires. */
    public void abandon(Hold hold) {
        engine.event(hold.slot, (s, out) -> s.abandoned(hold, engine.platform.nanoTime(), out));
    }

    /**
     * Releases a hold that cannot be relied on. Its tenure does not linger and is not handed over, and no other reader joins it, so
     * the next attempt asks the store.
     */
    public void discardDoubtful(Hold hold) {
        hold.doubtful = true;
        if (hold.slot instanceof SharedSlot) {
            engine.slots.closeToNewcomers(hold.slot);
        }
        discard(hold);
    }

    /** Releases a hold that no caller receives, for example because it was granted too late. Its tenure does not linger. */
    public void discard(Hold hold) {
        hold.discarded = true;
        engine.event(hold.slot, (s, out) -> s.release(hold, engine.platform.nanoTime(), out));
        engine.observers.released(hold);
    }
}
