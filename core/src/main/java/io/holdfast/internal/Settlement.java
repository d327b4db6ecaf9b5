package io.holdfast.internal;

import io.holdfast.spi.TenureId;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A tenure that is being given up: its release is repeated until it is certain that the store keeps nothing of it.
 *
 * <p>It is certain when a release was answered, and every copy of the tenure's acquire had been answered before that
 * release was sent, or is too late to be applied by the server time in the answer; or when the last lease that may have
 * been granted has ended by itself. A copy that was answered after the release was sent may have been applied after it, so
 * the answer is at once followed by another release.
 */
final class Settlement {

    /** What the store said of the hold. */
    enum Verdict {
        RELEASED,
        LOST
    }

    final String name;
    final Tenure tenure;
    final boolean yield;
    final boolean wasHeld;
    final long lastToken;

    /** Further places to be withdrawn. */
    final List<TenureId> places;

    /** Completed by the first answer, or when nobody needs one any more. */
    final CompletableFuture<Verdict> verdict = new CompletableFuture<>();

    volatile boolean settled;

    /** Waits for the answer of a copy, or until none may come. */
    final AtomicBoolean resting = new AtomicBoolean();

    /** When the store gives the tenure up by itself, if no release arrives. */
    volatile long lapsesAt;

    private boolean firstSentInTime;
    private int copies;
    int failures;

    Settlement(String name, Tenure tenure, boolean yield, List<TenureId> places) {
        this.name = name;
        this.tenure = tenure;
        this.yield = yield;
        this.places = places;
        this.wasHeld = tenure.held();
        this.lastToken = tenure.usedUpTo();
        tenure.settlement = this;
    }

    /** Counts a copy of the release about to be sent; returns whether it is the first. */
    boolean sending(long now) {
        boolean first = copies++ == 0;
        if (first) {
            firstSentInTime = tenure.alive(now);
        }
        return first;
    }

    /**
     * Takes an answer. "Not held" is a loss, unless an earlier copy was sent in time and may have done it.
     */
    void answered(boolean held, boolean firstCopy) {
        boolean earlierCopyDidIt = !firstCopy && firstSentInTime;
        verdict.complete(held || !wasHeld || earlierCopyDidIt ? Verdict.RELEASED : Verdict.LOST);
    }
}
