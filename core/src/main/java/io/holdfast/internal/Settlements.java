package io.holdfast.internal;

import io.holdfast.spi.Release;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Carries out {@link Settlement}s: releases, and releases again, until each is certain. */
final class Settlements {

    private static final long FIRST_BACKOFF_NANOS = 50_000_000;
    private static final long MOST_BACKOFF_NANOS = 2_000_000_000;

    private final Engine engine;
    final Set<Settlement> open = ConcurrentHashMap.newKeySet();

    Settlements(Engine engine) {
        this.engine = engine;
    }

    void begin(Settlement settlement) {
        open.add(settlement);
        settlement.lapsesAt = engine.platform.nanoTime() + engine.rules.command() + settlement.tenure.longestLease;
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
            engine.later.run(TimeUnit.MICROSECONDS.toNanos(mayComeForMicros), () -> goOn(settlement));
        } else {
            goOn(settlement);
        }
    }

    private void finish(Settlement settlement) {
        settlement.settled = true;
        open.remove(settlement);
        settlement.verdict.complete(Settlement.Verdict.RELEASED);
    }

    /** Gives up: what is left lapses at the store. */
    void abandon() {
        open.forEach(this::finish);
    }

    private boolean lapsed(Settlement settlement) {
        return engine.platform.nanoTime() - settlement.lapsesAt >= 0;
    }

    private void again(Settlement settlement, long nanos) {
        engine.later.run(nanos, () -> send(settlement));
    }

    private final class ReleaseCall extends Calls.Call<Release.Reply> {

        private final Settlement settlement;
        private boolean allCopiesAnswered;
        private boolean first;

        ReleaseCall(Settlement settlement) {
            this.settlement = settlement;
        }

        @Override
        CompletionStage<Release.Reply> send() {
            allCopiesAnswered = !settlement.tenure.copies.unanswered();
            first = settlement.sending(sent());
            return engine.store.release(Release.of(settlement.name, settlement.tenure.id)
                    .withMode(settlement.tenure.share.mode())
                    .withYield(first && settlement.yield)
                    .withLastToken(settlement.lastToken)
                    .withPlaces(settlement.places));
        }

        @Override
        void replied(Release.Reply reply) {
            engine.store.clock(settlement.name).observe(sent(), reply.serverMicros());
            settlement.answered(reply.held(), first);
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
            if (late || settlement.settled) {
                return;
            }
            if (lapsed(settlement)) {
                finish(settlement);
            } else {
                again(settlement, Term.doubled(FIRST_BACKOFF_NANOS, settlement.failures++, MOST_BACKOFF_NANOS));
            }
        }
    }
}
