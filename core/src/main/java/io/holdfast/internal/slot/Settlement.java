package io.holdfast.internal.slot;

import io.holdfast.spi.TenureId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A tenure that is being given up: its release is repeated until it is certain that the store keeps nothing of it.
 *
 * <p>It is certain when a release was answered, and every copy of the tenure's acquire had been answered before that
 * release was sent, or is too late to be applied by the server time in the answer; or when the last lease that may have
 * been granted has ended by itself. A copy that was answered after the release was sent may have been applied after it, so
 * the answer is at once followed by another release.
 */
public final class Settlement {

    public final String name;
    public final Tenure tenure;
    public final boolean yield;
    final boolean wasHeld;
    public final long lastToken;

    /** Further places to be withdrawn. */
    public final List<TenureId> places;

    /** Completed by the first answer, or when nobody needs one any more: how the hold was lost, or empty if it was not. */
    public final CompletableFuture<Optional<String>> verdict = new CompletableFuture<>();

    public volatile boolean settled;

    /** Waits for the answer of a copy, or until none may come. */
    public final AtomicBoolean resting = new AtomicBoolean();

    /** When the store gives the tenure up by itself, if no release arrives. */
    public volatile long lapsesAt;

    private final AtomicInteger copies = new AtomicInteger();

    /** The numbers of the copies that failed, were sent before the deadline, and may have been applied. */
    private final Set<Integer> inDoubt = ConcurrentHashMap.newKeySet();

    public int failures;

    public Settlement(String name, Tenure tenure, boolean yield, List<TenureId> places) {
        this.name = name;
        this.tenure = tenure;
        this.yield = yield;
        this.places = places;
        this.wasHeld = tenure.held();
        this.lastToken = tenure.usedUpTo();
        tenure.settlement = this;
    }

    /** Numbers the next copy of the release, from 1 on. */
    public int nextCopy() {
        return copies.incrementAndGet();
    }

    /** Takes the failure of a copy; one that turns out late not to have been applied is in doubt no more. */
    public void failed(int copy, boolean mayHaveReleased) {
        if (mayHaveReleased) {
            inDoubt.add(copy);
        } else {
            inDoubt.remove(copy);
        }
    }

    /** The copy found the tenure, and ended it. */
    public void released() {
        verdict.complete(Optional.empty());
    }

    /** The copy did not find the tenure: it was lost, unless an earlier copy may have ended it. */
    public void notHeld(int copy, String loss) {
        boolean released = !wasHeld || inDoubt.stream().anyMatch(earlier -> earlier < copy);
        verdict.complete(released ? Optional.empty() : Optional.of(loss));
    }
}
