package io.holdfast.internal.engine;

import io.holdfast.internal.slot.HoldSpec;
import io.holdfast.internal.slot.Settlement;
import io.holdfast.spi.Release;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Carries out {@link Settlement}s: releases, and releases again, until each is certain. */
public final class Settlements {

    private static final long FIRST_BACKOFF_NANOS = 50_000_000;
    private static final long MOST_BACKOFF_NANOS = 2_000_000_000;

    private final Engine engine;
    public final Set<Settlement> open = ConcurrentHashMap.newKeySet();

    Settlements(Engine engine) {
        this.engine = engine;
    }

    void begin(Settlement settlement) {
        open.add(settlement);
        settlement.lapsesAt = engine.platform.nanoTime() + engine.config.command() + settlement.tenure.longestLease;
        send(settlement);
    }

    private void send(Settlement settlement) {
        if (!settlement.settled) {
            engine.calls.start(new ReleaseCall(settlement));
        }
    }

    /** Goes on at once with one that rests: the store may have something of the tenure again. */
    void goOn(@Nullable Settlement settlement) {
        if (settlement != null && settlement.resting.compareAndSet(true, false)) {
            send(settlement);
        }
    }

    /** Whether the tenure is being given up. */
    boolean has(TenureId tenure) {
        return open.stream().anyMatch(each -> each.tenure.id.equals(tenure));
    }

    /** What rests before it looks for an answer cannot miss it. */
    private void rest(Settlement settlement, long mayComeForMicros) {
        settlement.resting.set(true);
        if (settlement.tenure.copies.unanswered()) {
            engine.timers.run(TimeUnit.MICROSECONDS.toNanos(mayComeForMicros), () -> goOn(settlement));
        } else {
            goOn(settlement);
        }
    }

    private void finish(Settlement settlement) {
        settlement.settled = true;
        open.remove(settlement);
        settlement.released();
    }

    /** Gives up: what is left lapses at the store. */
    public void abandon() {
        open.forEach(this::finish);
    }

    private boolean lapsed(Settlement settlement) {
        return engine.platform.nanoTime() - settlement.lapsesAt >= 0;
    }

    private void again(Settlement settlement, long nanos) {
        engine.timers.run(nanos, () -> send(settlement));
    }

    private final class ReleaseCall extends Calls.Call<Release.Reply> {

        private final Settlement settlement;
        private final int copy;
        private boolean allCopiesAnswered;
        private volatile boolean inTime;

        ReleaseCall(Settlement settlement) {
            this.settlement = settlement;
            copy = settlement.nextCopy();
            // it can time out before it is sent
            inTime = settlement.tenure.alive(engine.platform.nanoTime());
        }

        @Override
        CompletionStage<Release.Reply> send() {
            allCopiesAnswered = !settlement.tenure.copies.unanswered();
            inTime = settlement.tenure.alive(sent());
            return engine.store.release(Release.of(settlement.name, settlement.tenure.id)
                    .withMode(settlement.tenure.share.mode())
                    .withYield(copy == 1 && settlement.yield)
                    .withLastToken(settlement.lastToken)
                    .withPlaces(settlement.places));
        }

        @Override
        void replied(Release.Reply reply) {
            engine.store.clock(settlement.name).observe(sent(), reply.serverMicros());
            if (reply.held()) {
                settlement.released();
            } else {
                settlement.notHeld(copy, engine.store.describe() + " did not have it any more when it was released");
            }
            long mayComeFor = settlement.tenure.copies.mayComeFor(reply.serverMicros());
            if (allCopiesAnswered || mayComeFor <= 0 || lapsed(settlement)) {
                finish(settlement);
            } else if (!settlement.settled) {
                rest(settlement, mayComeFor);
            }
        }

        @Override
        void failed(StoreException cause, boolean late) {
            settlement.tenure.trouble = cause.getMessage() + "";
            settlement.failed(copy, inTime && cause.effect().mayBeApplied());
            if (settlement.settled) {
                return;
            }
            boolean refused = cause.effect() == StoreException.Effect.REFUSED;
            if (refused) {
                settlement.notHeld(copy, refused(cause));
            }
            // a copy of the acquire that is still under way may be applied when the cause of the refusal is mended
            boolean nothingToRelease = refused && !settlement.tenure.copies.unanswered();
            if (nothingToRelease || (!late && (lapsed(settlement) || engine.calls.isClosed()))) {
                finish(settlement);
            } else if (!late) {
                again(settlement, HoldSpec.doubled(FIRST_BACKOFF_NANOS, settlement.failures++, MOST_BACKOFF_NANOS));
            }
        }

        private String refused(StoreException cause) {
            long left = Math.max(0, settlement.lapsesAt - engine.platform.nanoTime()) / 1_000_000;
            return engine.store.describe() + " refused to release it: " + cause.getMessage()
                    + ". If the store still keeps it, as when a right is missing, nobody else gets it before its lease"
                    + " ends, in at most " + left + " ms";
        }
    }
}
