package io.holdfast.internal.engine;

import io.holdfast.LeaseLostException;
import io.holdfast.internal.slot.ErrorTexts;
import io.holdfast.internal.slot.Hold;
import io.holdfast.internal.slot.HoldSpec;
import io.holdfast.internal.slot.LossAction;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The validity of holds, and their loss. Two questions have different answers while a hold is in doubt:
 *
 * <ol>
 *   <li>Can the owner rely on the hold? {@link Hold#valid} decides: not ended, not lost, before its deadline, and not in doubt.
 *   <li>Is the hold lost? {@code Slot.expire} decides, by the deadline alone. A doubt is not a loss, because a renewal may still
 *       end it.
 * </ol>
 */
public final class HoldValidity {

    private final Engine engine;

    HoldValidity(Engine engine) {
        this.engine = engine;
    }

    /**
     * Returns {@code true} if the hold can be relied on. For a hold in doubt, this starts a renewal, and its answer ends the
     * doubt.
     */
    public boolean valid(Hold hold) {
        long now = engine.platform.nanoTime();
        boolean valid = hold.valid(now, engine.platform.wallMillis());
        if (!valid
                && !hold.ended
                && !hold.lost()
                && hold.tenure.unexpired(now)
                && !hold.tenure.isRenewing(now, engine.config.command())) {
            var unused = renew(hold);
        }
        return valid;
    }

    /**
     * Returns {@code true} if this client holds a tenure.
     *
     * @param tenure the tenure, in the form in which stores keep it
     */
    public boolean isHeldHere(String tenure) {
        return engine.heldTenures().stream().anyMatch(held -> held.id.toString().equals(tenure));
    }

    public Duration remaining(Hold hold) {
        return valid(hold)
                ? Duration.ofNanos(hold.tenure.validity.remaining(engine.platform.nanoTime()))
                : Duration.ZERO;
    }

    /** Returns {@code true} if the hold has ended or is lost, even if the loss is not detected yet. */
    public boolean isOver(Hold hold) {
        return hold.ended || hold.lost() || !hold.tenure.unexpired(engine.platform.nanoTime());
    }

    /** Throws if the hold is lost, even if the loss is not detected yet. */
    public void requireNotLost(Hold hold) {
        long now = engine.platform.nanoTime();
        if (!hold.lost() && !hold.tenure.unexpired(now)) {
            engine.event(hold.slot, (s, out) -> s.expire(hold.tenure, now, out));
        }
        if (hold.lost()) {
            throw lossException(hold);
        }
        requireNotClosed(hold, hold.ended);
    }

    /**
     * Throws if the close of the client has released the hold.
     *
     * @param ended {@code true} if the hold ended before its owner released it
     */
    void requireNotClosed(Hold hold, boolean ended) {
        if (ended && engine.tasks.isClosed()) {
            throw ErrorTexts.closedMeanwhile(hold.slot.share.mode(), hold.slot.name, engine.settings.name());
        }
    }

    LeaseLostException lossException(Hold hold) {
        return ErrorTexts.lost(hold, hold.lossReason + "");
    }

    /** Renews the hold. The result is {@code true} if the store has confirmed it. */
    CompletableFuture<Boolean> renew(Hold hold) {
        HoldSpec spec = hold.slot.locked(() -> hold.slot.renewalSpec(hold.tenure, engine.platform.nanoTime()));
        return engine.watchdog.renewNow(hold.slot, hold.tenure, spec).thenApply(Optional::isPresent);
    }

    /**
     * Registers an action for the loss, or runs it if the hold is already lost. The slot's mutex decides the race between
     * registration and loss, so the action is neither missed nor run twice.
     */
    public void onLost(Hold hold, List<LossAction> actions, LossAction action) {
        boolean registered = hold.slot.locked(() -> !hold.lost() && actions.add(action));
        if (!registered) {
            engine.tasks.notifyLoss(action, lossException(hold));
        }
    }
}
