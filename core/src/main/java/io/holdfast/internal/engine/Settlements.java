package io.holdfast.internal.engine;

import io.holdfast.internal.slot.HoldSpec;
import io.holdfast.internal.slot.Settlement;
import io.holdfast.internal.slot.SlotConfig;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The executor of {@link Settlement}s, which repeats the release of each tenure until its outcome is certain.
 *
 * <ol>
 *   <li>A settlement ends when a release is answered or refused, and no copy of the tenure's acquire can be applied after it.
 *       Otherwise a late copy would acquire the lock for no owner (orphan).
 *   <li>It also ends when the last lease that may have been granted has ended, or with the close of the client.
 *   <li>A settlement that waits for the answer of a copy is resumed once: by that answer, or when no copy can be applied any
 *       more.
 *   <li>A hold that was certain when its owner released it is lost only if the store had lost it before that. So the answer "not
 *       held" proves a loss only until the lease may have ended since, and only if no copy of the release may have been applied.
 * </ol>
 */
public record Settlements(
        Platform platform, LockStore store, SlotConfig config, Calls calls, Tasks tasks, Set<Settlement> open) {

    private static final long FIRST_BACKOFF_NANOS = 50_000_000;
    private static final long MAX_BACKOFF_NANOS = 2_000_000_000;

    /** The time for which every store keeps the record of an unused name, at least. */
    private static final long RECORD_KEPT_NANOS = TimeUnit.MINUTES.toNanos(10);

    void start(Settlement settlement) {
        open.add(settlement);
        settlement.startedAt = platform.nanoTime();
        settlement.startedInDoubt = settlement.tenure.validity.suspect(settlement.startedAt, platform.wallMillis());
        settlement.expiresAt = settlement.startedAt + config.command() + settlement.tenure.longestLease;
        send(settlement);
    }

    private void send(Settlement settlement) {
        if (!settlement.settled) {
            calls.start(new ReleaseCall(settlement));
        }
    }

    /**
     * Resumes a settlement that waits for copies, because the store may hold the tenure again. Only one of several calls
     * resumes it.
     */
    void resume(@Nullable Settlement settlement) {
        if (settlement != null && settlement.awaitsCopies.compareAndSet(true, false)) {
            send(settlement);
        }
    }

    /** Returns {@code true} if the tenure is being released. */
    boolean isReleasing(TenureId tenure) {
        return open.stream().anyMatch(each -> each.tenure.id.equals(tenure));
    }

    /**
     * Resumes the settlement when a copy is answered, or when no copy can be applied any more. The flag is set before the check
     * for an answer. Otherwise, an answer between the two would be missed (lost wake-up).
     */
    private void awaitCopies(Settlement settlement, long mayComeForMicros) {
        settlement.awaitsCopies.set(true);
        if (settlement.tenure.copies.unanswered()) {
            tasks.run(TimeUnit.MICROSECONDS.toNanos(mayComeForMicros), () -> resume(settlement));
        } else {
            resume(settlement);
        }
    }

    private void finish(Settlement settlement) {
        settlement.settled = true;
        open.remove(settlement);
        settlement.released();
    }

    /** Ends all settlements. The tenures that are not released expire at the store. */
    public void abandon() {
        open.forEach(this::finish);
    }

    private boolean lapsed(Settlement settlement) {
        return platform.nanoTime() - settlement.expiresAt >= 0;
    }

    /** Returns {@code true} if the store still has to hold the tenure unless it was released. */
    private boolean leaseLasts(Settlement settlement) {
        return settlement.tenure.validity.lasts(platform.nanoTime(), platform.wallMillis());
    }

    private boolean isRecordKept(Settlement settlement) {
        return platform.nanoTime() - settlement.startedAt < RECORD_KEPT_NANOS;
    }

    private void retry(Settlement settlement, long nanos) {
        tasks.run(nanos, () -> send(settlement));
    }

    private final class ReleaseCall extends Calls.Call<Release.Reply> {

        private final Settlement settlement;
        private final int copy;
        private boolean allCopiesAnswered;

        ReleaseCall(Settlement settlement) {
            this.settlement = settlement;
            copy = settlement.nextCopy();
        }

        @Override
        CompletionStage<Release.Reply> send() {
            allCopiesAnswered = !settlement.tenure.copies.unanswered();
            return store.release(Release.of(settlement.name, settlement.tenure.id)
                    .withMode(settlement.tenure.share.mode())
                    .withYield(copy == 1 && settlement.yield)
                    .withLastToken(settlement.lastToken)
                    .withKeptToken(settlement.keptToken)
                    .withPlaces(settlement.places));
        }

        @Override
        void replied(Release.Reply reply) {
            store.clock(settlement.name).observe(sent(), reply.serverMicros());
            boolean lasts = leaseLasts(settlement);
            if (reply.held() || !(lasts || settlement.startedInDoubt)) {
                settlement.released();
            } else {
                boolean certain = reply.lost() && lasts && isRecordKept(settlement);
                settlement.notHeld(copy, certain, store.describe() + " no longer held it when it was released");
            }
            if (settlement.isUndecided()) {
                return;
            }
            long mayComeFor = settlement.tenure.copies.applicableFor(reply.serverMicros());
            if (allCopiesAnswered || mayComeFor <= 0 || lapsed(settlement)) {
                finish(settlement);
            } else if (!settlement.settled) {
                awaitCopies(settlement, mayComeFor);
            }
        }

        @Override
        void failed(StoreException cause, boolean late) {
            settlement.tenure.lastFailure = cause.getMessage() + "";
            settlement.failed(copy, cause.effect().mayBeApplied());
            if (settlement.settled) {
                return;
            }
            boolean refused = cause.effect() == StoreException.Effect.REFUSED;
            if (refused) {
                settlement.notHeld(copy, false, refusalText(cause));
            }
            // a copy of the acquire may still be applied when the cause of the refusal is removed (late duplicate)
            boolean nothingToRelease = refused && !settlement.isUndecided() && !settlement.tenure.copies.unanswered();
            if (nothingToRelease || (!late && (lapsed(settlement) || tasks.callsClosed))) {
                finish(settlement);
            } else if (!late) {
                retry(settlement, HoldSpec.doubled(FIRST_BACKOFF_NANOS, settlement.failures++, MAX_BACKOFF_NANOS));
            }
        }

        private String refusalText(StoreException cause) {
            long left = Math.max(0, settlement.expiresAt - platform.nanoTime()) / 1_000_000;
            return store.describe() + " refused to release it: " + cause.getMessage()
                    + ". If the store still holds it, for example because a permission is missing, nobody else can acquire it"
                    + " before its lease ends, in at most " + left + " ms";
        }
    }
}
