package io.holdfast.internal.engine;

import io.holdfast.StoreUnavailableException;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.slot.ErrorTexts;
import io.holdfast.internal.slot.Hold;
import io.holdfast.internal.slot.HoldSpec;
import io.holdfast.internal.slot.Validity;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The renewals that owners request: to confirm a hold, to move its end, or to enter it again. */
public final class HoldRenewals {

    private static final String UNCHANGED = "the hold is unchanged,";

    private final Engine engine;

    HoldRenewals(Engine engine) {
        this.engine = engine;
    }

    /** Ensures that the hold is valid for at least the given time. */
    public void ensureValid(Hold hold, Duration atLeast) {
        long nanos = requireAttainable(hold, atLeast);
        engine.holds.validity().requireNotLost(hold);
        if (engine.holds.validity().remaining(hold).toNanos() >= nanos
                && engine.holds.validity().valid(hold)) {
            return;
        }
        long left = Math.max(0, hold.end() - engine.platform.nanoTime());
        if (!hold.watchdog() && left < nanos) {
            throw ErrorTexts.endsBefore(hold, Duration.ofNanos(left), atLeast);
        }
        boolean answered = confirm(hold);
        engine.holds.validity().requireNotLost(hold);
        if (!engine.holds.validity().valid(hold)
                || engine.holds.validity().remaining(hold).toNanos() < nanos) {
            String what = "a validity of " + atLeast.toMillis() + " ms";
            throw unconfirmed(hold, what, answered ? "its answer proves less" : hold.tenure.lastFailure, UNCHANGED);
        }
    }

    /**
     * Returns {@code atLeast} in nanoseconds, or throws if no lease of the hold can last that long. A hold that is not renewed
     * may have been extended by more than its first lease, so its longest lease counts.
     */
    private static long requireAttainable(Hold hold, Duration atLeast) {
        long lease = hold.watchdog() ? hold.spec.nanos() : hold.tenure.longestLease;
        long max = lease - HoldSpec.margin(lease);
        long nanos = Durations.nanos(atLeast);
        if (nanos < 0 || nanos > max) {
            throw new IllegalArgumentException(hold.slot.label() + ": atLeast " + atLeast + " is out of range: zero to "
                    + max / 1_000_000 + " ms, the lease less its margin");
        }
        return nanos;
    }

    /** Returns the error for a new end that has no confirmation. */
    private RuntimeException unconfirmedEnd(Hold hold, String what) {
        return unconfirmed(hold, what, hold.tenure.lastFailure, "its outcome is unknown, the hold is");
    }

    /** Returns the error for a missing confirmation. A hold that was released in the meantime cannot be confirmed. */
    private RuntimeException unconfirmed(Hold hold, String what, String reason, String state) {
        if (hold.ended) {
            return ErrorTexts.closedLease(hold);
        }
        return new StoreUnavailableException(
                hold.slot.name,
                hold.slot.label() + ": " + engine.store.describe() + " did not confirm " + what + ": "
                        + reason + "; " + state + " valid for "
                        + engine.holds.validity().remaining(hold).toMillis() + " ms",
                null);
    }

    /**
     * Renews the hold, and keeps all later tokens above the floor. The result is {@code true} if the store has confirmed both.
     */
    public CompletableFuture<Boolean> renew(Hold hold, long floor) {
        hold.slot.locked(() -> hold.tenure.tokens.raiseFloor(floor));
        return engine.holds.validity().renew(hold);
    }

    /** Renews the hold, and waits for the answer until the command timeout. */
    public boolean confirm(Hold hold) {
        return confirm(hold, engine.config.command());
    }

    /** Renews the hold, and waits for the answer for the given time at most. */
    boolean confirm(Hold hold, long nanos) {
        CompletableFuture<Boolean> renewed = engine.holds.validity().renew(hold);
        return Awaiting.done(engine.platform, renewed, nanos) && renewed.join();
    }

    /**
     * Adds a level to the hold, which must be valid. A hold in doubt is renewed first. Otherwise, only a level that ends later
     * than the hold costs a renewal.
     */
    public void reenter(Hold hold, HoldSpec spec) {
        requireCertain(hold);
        if (spec.watchdog() && hold.allRenewed()) {
            hold.enter(spec, Durations.NEVER);
        } else {
            addLevel(hold, spec);
        }
        engine.holds.validity().requireNotLost(hold);
    }

    /** Throws if the hold is lost. One that a clock step has put in doubt is confirmed first. */
    private void requireCertain(Hold hold) {
        engine.holds.validity().requireNotLost(hold);
        if (!engine.holds.validity().valid(hold)) {
            confirm(hold);
            engine.holds.validity().requireNotLost(hold);
            if (!engine.holds.validity().valid(hold)) {
                throw unconfirmed(
                        hold, "the hold, which a clock step has put in doubt", hold.tenure.lastFailure, UNCHANGED);
            }
        }
    }

    private void addLevel(Hold hold, HoldSpec spec) {
        long end = spec.watchdog() ? Durations.NEVER : endFor(spec);
        boolean needsRenewal = hold.slot.locked(() -> {
            long previousEnd = hold.end();
            hold.enter(spec, end);
            return previousEnd != Durations.NEVER && hold.end() != previousEnd;
        });
        if (needsRenewal && !confirm(hold)) {
            long now = engine.platform.nanoTime();
            engine.event(hold.slot, (s, out) -> s.exit(hold, now, out));
            engine.holds.validity().requireNotLost(hold);
            throw unconfirmedEnd(hold, "the lease of the re-entry");
        }
    }

    private long endFor(HoldSpec spec) {
        return engine.platform.nanoTime() + spec.nanos() - HoldSpec.margin(spec.nanos());
    }

    /** Moves the end of a hold that is not renewed to a later time. It never moves the end to an earlier time. */
    public void extend(Hold hold, Duration lease) {
        engine.holds.validity().requireNotLost(hold);
        if (hold.watchdog() || hold.stopped()) {
            throw ErrorTexts.notExtensible(hold);
        }
        requireCertain(hold);
        CompletableFuture<Boolean> confirmed = extendAsync(hold, lease);
        if (!Awaiting.done(engine.platform, confirmed, engine.config.command()) || !confirmed.join()) {
            requireCertain(hold);
            throw hold.stopped() ? ErrorTexts.notExtensible(hold) : unconfirmedEnd(hold, "the extension");
        }
    }

    /**
     * Starts an extension without waiting. Only a confirmed extension moves the end, so an extension that fails does not undo
     * another one. No request is needed if as much is proven already, and the hold is not in doubt.
     */
    public CompletableFuture<Boolean> extendAsync(Hold hold, Duration lease) {
        HoldSpec spec = hold.spec.withOwnLease(lease);
        if (engine.holds.validity().isOver(hold)) {
            return CompletableFuture.completedFuture(false);
        } else if (isCertain(hold) && endFor(spec) - hold.tenure.validity.deadline() <= 0) {
            return CompletableFuture.completedFuture(true);
        }
        return engine.watchdog
                .renewNow(hold.slot, hold.tenure, spec)
                .thenApply(proven -> proven.isPresent() && extended(hold, proven.get()));
    }

    private boolean extended(Hold hold, Validity proven) {
        boolean extended = hold.slot.locked(() -> hold.extend(proven));
        engine.watchdog.watch(hold.slot, hold.tenure);
        // the machine may have been suspended since the request
        return extended && isCertain(hold);
    }

    private boolean isCertain(Hold hold) {
        return hold.valid(engine.platform.nanoTime(), engine.platform.wallMillis());
    }
}
