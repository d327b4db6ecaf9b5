package io.holdfast.internal.engine;

import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.StoreUnavailableException;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.slot.Effect;
import io.holdfast.internal.slot.ErrorTexts;
import io.holdfast.internal.slot.Hold;
import io.holdfast.internal.slot.HoldSpec;
import io.holdfast.internal.slot.LossAction;
import io.holdfast.internal.slot.Settlement;
import io.holdfast.internal.slot.SharedSlot;
import io.holdfast.internal.slot.Slot;
import io.holdfast.internal.slot.Tenure;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The operations of owners on their holds. */
public record HoldOperations(Engine engine, Platform platform) {

    // ---- validity

    /** Returns {@code true} if the hold can be relied on. If the hold is in doubt, this starts a renewal that decides. */
    public boolean valid(Hold hold) {
        long now = platform.nanoTime();
        boolean valid = hold.valid(now, platform.wallMillis());
        if (!valid
                && !hold.ended
                && !hold.lost()
                && hold.tenure.alive(now)
                && !hold.tenure.renewing(now, engine.config.command())) {
            var unused = renew(hold);
        }
        return valid;
    }

    public Duration remaining(Hold hold) {
        return valid(hold) ? Duration.ofNanos(hold.tenure.validity.remaining(platform.nanoTime())) : Duration.ZERO;
    }

    /** Returns {@code true} if the hold has ended or is lost, even if the loss was not detected yet. */
    public boolean isOver(Hold hold) {
        return hold.ended || hold.lost() || !hold.tenure.alive(platform.nanoTime());
    }

    /** Throws if the hold is lost, even if the loss was not detected yet. */
    public void requireNotLost(Hold hold) {
        long now = platform.nanoTime();
        if (!hold.lost() && !hold.tenure.alive(now)) {
            engine.event(hold.slot, (s, out) -> s.expire(hold.tenure, now, out));
        }
        if (hold.lost()) {
            throw lost(hold);
        }
        requireNotClosed(hold, hold.ended);
    }

    /**
     * Throws if the close of the client has released the hold.
     *
     * @param ended {@code true} if the hold ended before its owner released it
     */
    private void requireNotClosed(Hold hold, boolean ended) {
        if (ended && engine.closed) {
            throw ErrorTexts.closedMeanwhile(hold.slot.share.mode(), hold.slot.name, engine.settings.name());
        }
    }

    private LeaseLostException lost(Hold hold) {
        return ErrorTexts.lost(hold, hold.lostBecause + "");
    }

    public void ensureValid(Hold hold, Duration atLeast) {
        long nanos = requireAttainable(hold, atLeast);
        requireNotLost(hold);
        if (remaining(hold).toNanos() >= nanos && valid(hold)) {
            return;
        }
        if (!hold.watchdog() && hold.tenure.validity.remaining(platform.nanoTime()) < nanos) {
            throw new IllegalStateException(hold.slot.label() + ": its own lease ends in "
                    + remaining(hold).toMillis() + " ms, before the requested " + atLeast.toMillis() + " ms; "
                    + (hold.stopped()
                            ? "it is not renewed, because it was held for longer than maxHold"
                            : "extend it"));
        }
        confirm(hold);
        requireNotLost(hold);
        if (!valid(hold) || remaining(hold).toNanos() < nanos) {
            throw unconfirmed(hold, "a validity of " + atLeast.toMillis() + " ms");
        }
    }

    /**
     * Returns {@code atLeast} in nanoseconds, or throws if no lease of the hold can last that long. A hold that is not renewed
     * may have been extended by more than its first lease, so its longest lease counts.
     */
    private static long requireAttainable(Hold hold, Duration atLeast) {
        long lease = hold.watchdog() ? hold.spec.nanos() : hold.tenure.longestLease;
        long most = lease - HoldSpec.margin(lease);
        long nanos = Durations.nanos(atLeast);
        if (nanos < 0 || nanos > most) {
            throw new IllegalArgumentException(hold.slot.label() + ": atLeast " + atLeast + " is out of range: zero to "
                    + most / 1_000_000 + " ms, the lease less its margin");
        }
        return nanos;
    }

    /** Returns the error for a missing confirmation. A hold that was released in the meantime cannot be confirmed. */
    private RuntimeException unconfirmed(Hold hold, String what) {
        if (hold.ended) {
            return ErrorTexts.closedLease(hold);
        }
        return new StoreUnavailableException(
                hold.slot.name,
                hold.slot.label() + ": " + engine.store.describe() + " did not confirm " + what + ": "
                        + hold.tenure.trouble + "; the hold is unchanged, valid for "
                        + remaining(hold).toMillis() + " ms",
                null);
    }

    private CompletableFuture<Boolean> renew(Hold hold) {
        HoldSpec spec = hold.slot.locked(() -> hold.slot.renewalSpec(hold.tenure, platform.nanoTime()));
        return engine.watchdog.renewNow(hold.slot, hold.tenure, spec).thenApply(Optional::isPresent);
    }

    /**
     * Renews the hold, and keeps all later tokens above the floor. The result is {@code true} if the store has confirmed both.
     */
    public CompletableFuture<Boolean> renew(Hold hold, long floor) {
        hold.slot.locked(() -> hold.tenure.raise(floor));
        return renew(hold);
    }

    /** Renews the hold, and waits for the answer until the command timeout. */
    public boolean confirm(Hold hold) {
        CompletableFuture<Boolean> renewed = renew(hold);
        return Awaiting.done(platform, renewed, engine.config.command()) && renewed.join();
    }

    /**
     * Registers an action for the loss, or runs it if the hold is lost already. The mutex decides the race between both, so the
     * action is neither missed nor run twice.
     */
    public void onLost(Hold hold, List<LossAction> actions, LossAction action) {
        boolean registered = hold.slot.locked(() -> !hold.lost() && actions.add(action));
        if (!registered) {
            engine.tell(action, lost(hold));
        }
    }

    // ---- levels

    /**
     * Adds a level to the hold, which must be valid. A hold in doubt is renewed first. Apart from that, only a level that ends
     * later than the hold costs a renewal.
     */
    public void reenter(Hold hold, HoldSpec spec) {
        requireNotLost(hold);
        if (!valid(hold)) {
            confirm(hold);
            requireNotLost(hold);
            if (!valid(hold)) {
                throw unconfirmed(hold, "the hold, which a clock step has put in doubt");
            }
        }
        if (spec.watchdog() && hold.allRenewed()) {
            hold.enter(spec, Durations.NEVER);
        } else {
            enter(hold, spec);
        }
        requireNotLost(hold);
    }

    private void enter(Hold hold, HoldSpec spec) {
        long end = spec.watchdog() ? Durations.NEVER : endOf(spec);
        boolean later = hold.slot.locked(() -> {
            long before = hold.end();
            hold.enter(spec, end);
            return before != Durations.NEVER && hold.end() != before;
        });
        if (later && !confirm(hold)) {
            hold.slot.locked(hold::leave);
            requireNotLost(hold);
            throw unconfirmed(hold, "the lease of the re-entry");
        }
    }

    private long endOf(HoldSpec spec) {
        return platform.nanoTime() + spec.nanos() - HoldSpec.margin(spec.nanos());
    }

    /** Moves the end of a hold that is not renewed to a later time. It never moves the end to an earlier time. */
    public void extend(Hold hold, Duration lease) {
        requireNotLost(hold);
        requireExtensible(hold);
        CompletableFuture<Boolean> confirmed = extending(hold, lease);
        if (!Awaiting.done(platform, confirmed, engine.config.command()) || !confirmed.join()) {
            requireNotLost(hold);
            throw unconfirmed(hold, "the extension");
        }
    }

    /**
     * Starts an extension without waiting. Only a confirmation moves the end, so an extension that fails does not undo another
     * one.
     */
    public CompletableFuture<Boolean> extending(Hold hold, Duration lease) {
        HoldSpec spec = hold.spec.ending(lease);
        if (isOver(hold) || endOf(spec) - hold.end() <= 0) {
            return CompletableFuture.completedFuture(!isOver(hold));
        }
        return engine.watchdog
                .renewNow(hold.slot, hold.tenure, spec)
                .thenApply(proven -> proven.isPresent() && hold.slot.locked(() -> hold.extend(proven.get())));
    }

    private static void requireExtensible(Hold hold) {
        if (hold.watchdog() || hold.stopped()) {
            throw new IllegalStateException(hold.slot.label() + ": "
                    + (hold.stopped()
                            ? "this lease was held for longer than maxHold, so it can no longer be extended"
                            : "the watchdog renews this lease, so there is nothing to extend"));
        }
    }

    /** Ends the innermost level of a thread's hold. The last level releases the hold. */
    public void leave(Hold hold) {
        if (hold.depth() == 1) {
            release(hold);
            return;
        }
        long now = platform.nanoTime();
        boolean lost = hold.lost() || !hold.tenure.alive(now);
        if (hold.allRenewed() && !lost) {
            var unused = hold.leave();
        } else {
            engine.event(hold.slot, (s, out) -> s.leave(hold, now, out));
        }
        if (lost) {
            requireNotLost(hold);
        }
    }

    // ---- release

    /** Ends a hold, and waits for the verdict of the store if one is needed. */
    public void release(Hold hold) {
        awaitVerdict(hold, end(hold));
    }

    /**
     * Ends a hold of {@code runOnce}, and keeps its name for the rest of the time. If the time is up, it is released as usual.
     */
    public void keep(Hold hold) {
        awaitVerdict(hold, end(hold, (s, out) -> s.keep(hold, platform.nanoTime(), out)));
    }

    private void awaitVerdict(Hold hold, @Nullable Settlement settlement) {
        if (settlement != null && !engine.closed) {
            CompletableFuture<Void> verdict = verdict(hold, settlement);
            Awaiting.done(platform, verdict, engine.config.command());
            judge(hold, settlement, verdict);
        }
    }

    /**
     * Returns a future that completes with the verdict of the store on the hold. A loss is reported before that, even if nobody
     * waits any longer.
     */
    CompletableFuture<Void> verdict(Hold hold, Settlement settlement) {
        return settlement.verdict.thenAccept(loss -> loss.ifPresent(reason -> engine.lostAtRelease(hold, reason)));
    }

    /**
     * Releases the hold without waiting. The future completes with the answer of the store, or without it after the command
     * timeout.
     *
     * @param told the executor that completes the future
     */
    public CompletableFuture<Void> releaseAsync(Hold hold, Executor told) {
        try {
            Settlement settlement = end(hold);
            return settlement == null ? CompletableFuture.completedFuture(null) : judged(hold, settlement, told);
        } catch (LeaseLostException | IllegalStateException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletableFuture<Void> judged(Hold hold, Settlement settlement, Executor told) {
        CompletableFuture<Void> verdict = verdict(hold, settlement);
        return inTime(verdict)
                .thenRunAsync(() -> judge(hold, settlement, verdict), told)
                .copy();
    }

    /** Returns a future that completes with the answer of the store, or after the command timeout. */
    public CompletableFuture<Void> inTime(CompletableFuture<?> answer) {
        return inTime(answer, engine.config.command());
    }

    /** Returns a future that completes with the answer, or after the given number of nanoseconds. */
    CompletableFuture<Void> inTime(CompletableFuture<?> answer, long nanos) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        Platform.Task timeout = engine.timers.run(nanos, () -> over.complete(null));
        Awaiting.whenDone(answer, () -> {
            timeout.cancel();
            over.complete(null);
        });
        return over;
    }

    /**
     * Releases a hold. A tenure that the clocks have put in doubt does not linger, because only the store knows whether it was
     * lost.
     */
    private @Nullable Settlement end(Hold hold) {
        Tenure tenure = hold.tenure;
        if (tenure.id.lingers() && tenure.validity.suspect(platform.nanoTime(), platform.wallMillis())) {
            hold.discarded = true;
        }
        return end(hold, (s, out) -> s.release(hold, platform.nanoTime(), out));
    }

    private @Nullable Settlement end(Hold hold, BiConsumer<Slot, Effect.Buffer> how) {
        boolean ended = hold.ended;
        engine.event(hold.slot, how);
        if (hold.lost()) {
            throw lost(hold);
        }
        requireNotClosed(hold, ended);
        engine.counters.releases.increment();
        if (engine.events.detailed()) {
            engine.events.detail(
                    hold.slot.share.mode(), new LockEvent.Released(hold.slot.name, hold.token, hold.owner()));
        }
        return hold.settlement;
    }

    private void judge(Hold hold, Settlement settlement, CompletableFuture<Void> verdict) {
        String name = hold.slot.name;
        if (!verdict.isDone()) {
            hold.slot.locked(hold::dropLossActions);
            engine.events.warn(
                    hold.slot.share.mode(),
                    new LockEvent.ReleaseUnconfirmed(
                            name,
                            hold.token,
                            Duration.ofNanos(Math.max(0, settlement.lapsesAt - platform.nanoTime())),
                            hold.tenure.trouble),
                    "the release continues in the background; check whether " + engine.store.describe() + " answers");
        } else if (hold.lost()) {
            throw lost(hold);
        }
    }

    /** Treats the owner of the hold as dead. The tenure is left to the end of its lease. */
    public void abandon(Hold hold) {
        engine.event(hold.slot, (s, out) -> s.ownerGone(hold, platform.nanoTime(), out));
    }

    /**
     * Releases a hold that cannot be relied on. Its tenure does not linger, and no other reader joins it, so the next attempt
     * asks the store.
     */
    public void discardDoubtful(Hold hold) {
        if (hold.slot instanceof SharedSlot) {
            engine.slots.setAside(hold.slot);
        }
        discard(hold);
    }

    /** Releases a hold that is not wanted, for example because it was granted too late. Its tenure does not linger. */
    public void discard(Hold hold) {
        hold.discarded = true;
        engine.event(hold.slot, (s, out) -> s.release(hold, platform.nanoTime(), out));
    }
}
