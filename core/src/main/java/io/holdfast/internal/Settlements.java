package io.holdfast.internal;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.StoreException;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Carries out {@link Settlement}s: releases, and releases again, until each is certain. */
final class Settlements {

    private static final long FIRST_BACKOFF_NANOS = 50_000_000;
    private static final long LONGEST_BACKOFF_NANOS = 2_000_000_000;

    private final Platform platform;
    private final Later later;
    private final LockStore store;
    private final Calls calls;
    private final long commandNanos;
    private final Set<Settlement> open = ConcurrentHashMap.newKeySet();

    Settlements(Platform platform, Later later, LockStore store, Calls calls, long commandNanos) {
        this.platform = platform;
        this.later = later;
        this.store = store;
        this.calls = calls;
        this.commandNanos = commandNanos;
    }

    Collection<Settlement> open() {
        return open;
    }

    /** When the store gives the tenure up by itself, counted from now, if no release arrives. */
    long lapsesIn(Settlement settlement) {
        return commandNanos + settlement.tenure.longestLease;
    }

    void begin(Settlement settlement) {
        open.add(settlement);
        settlement.lapsesAt = platform.nanoTime() + lapsesIn(settlement);
        send(settlement);
    }

    private void send(Settlement settlement) {
        if (!settlement.settled) {
            calls.start(new ReleaseCall(settlement));
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
        return platform.nanoTime() - settlement.lapsesAt >= 0;
    }

    private void again(Settlement settlement, long nanos) {
        later.run(nanos, () -> send(settlement));
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
            return store.release(new Release(
                    settlement.name, settlement.tenure.id, first && settlement.yield, settlement.lastToken));
        }

        @Override
        void replied(Release.Reply reply) {
            store.clock(settlement.name).observe(sent(), reply.serverMicros());
            settlement.answered(reply.held(), first);
            Copies copies = settlement.tenure.copies;
            long mayComeFor = copies.mayComeFor(reply.serverMicros());
            if (allCopiesAnswered || mayComeFor <= 0 || lapsed(settlement)) {
                finish(settlement);
            } else if (!settlement.settled) {
                again(settlement, copies.unanswered() ? TimeUnit.MICROSECONDS.toNanos(mayComeFor) : 0);
            }
        }

        @Override
        void failed(StoreException cause, boolean late) {
            if (late || settlement.settled) {
                return;
            }
            if (lapsed(settlement)) {
                finish(settlement);
            } else {
                again(
                        settlement,
                        Math.min(FIRST_BACKOFF_NANOS << Math.min(settlement.failed(), 10), LONGEST_BACKOFF_NANOS));
            }
        }
    }
}
