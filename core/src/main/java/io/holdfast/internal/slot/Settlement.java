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
 * The release of a tenure. It is repeated until the store certainly no longer holds the tenure, and will not hold it again.
 *
 * <p>That is certain in each of these cases:
 *
 * <ol>
 *   <li>A release was answered, and every copy of the tenure's acquire had been answered before that release was sent.
 *   <li>A release was answered, and every unanswered copy is too late to be applied, by the server time in the answer.
 *   <li>The last lease that may have been granted has expired.
 * </ol>
 *
 * <p>A copy of the acquire that was answered after the release was sent may have been applied after the release (late
 * duplicate). So another release follows the answer at once.
 */
public final class Settlement {

    public final String name;
    public final Tenure tenure;
    public final boolean yield;
    final boolean wasHeld;
    public final long lastToken;
    public final long keptToken;

    /** Further positions to withdraw. */
    public final List<TenureId> places;

    /**
     * The reason why the hold was lost, or empty if it was not. It is completed by the first answer, or when no answer is
     * needed.
     */
    public final CompletableFuture<Optional<String>> verdict = new CompletableFuture<>();

    public volatile boolean settled;

    /** Set while the settlement waits for the answer of a copy of the acquire, or until none can be applied any more. */
    public final AtomicBoolean awaitsCopies = new AtomicBoolean();

    public volatile long startedAt;

    /** Set if the clocks had put the hold in doubt when it was released. */
    public volatile boolean startedInDoubt;

    /** The time when the tenure has expired at the store even if no release arrives. */
    public volatile long expiresAt;

    private final AtomicInteger copies = new AtomicInteger();

    /** The numbers of the copies of the release that failed, and may have been applied. */
    private final Set<Integer> inDoubt = ConcurrentHashMap.newKeySet();

    /** The numbers of the copies of the release that have no answer yet, and have not failed. */
    private final Set<Integer> underWay = ConcurrentHashMap.newKeySet();

    /** The loss, if no other copy has ended the tenure; empty while no copy has missed it. */
    private volatile Optional<String> loss = Optional.empty();

    public int failures;

    public Settlement(String name, Tenure tenure, boolean yield, List<TenureId> places) {
        this.name = name;
        this.tenure = tenure;
        this.yield = yield;
        this.places = places;
        this.wasHeld = tenure.held();
        this.lastToken = tenure.highestUsedToken();
        this.keptToken = lastToken > 0 ? lastToken : Math.max(0, tenure.tokens.highest());
        tenure.settlement = this;
    }

    /** Returns the number of the next copy of the release, from 1 on. It is under way until it was answered, or has failed. */
    public int nextCopy() {
        int copy = copies.incrementAndGet();
        underWay.add(copy);
        return copy;
    }

    /**
     * Records the failure of a copy of the release. If it turns out later that a copy was not applied, that copy is no longer
     * in doubt.
     */
    public void failed(int copy, boolean mayHaveReleased) {
        if (mayHaveReleased) {
            inDoubt.add(copy);
        } else {
            inDoubt.remove(copy);
        }
        underWay.remove(copy);
        decide();
    }

    /** Records that a copy of the release ended the tenure, or that its lease may have ended since. */
    public void released() {
        verdict.complete(Optional.empty());
    }

    /**
     * Records that a copy of the release did not find the tenure. The hold was lost, unless another copy may have ended the tenure. A
     * later copy may have overtaken this one, so those that are under way are awaited.
     *
     * @param certain {@code true} if the store knows that no copy has
     */
    public void notHeld(int copy, boolean certain, String reason) {
        loss = Optional.of(reason);
        inDoubt.remove(copy);
        underWay.remove(copy);
        if (!wasHeld) {
            released();
        } else if (certain) {
            verdict.complete(loss);
        } else {
            decide();
        }
    }

    private void decide() {
        if (loss.isPresent() && underWay.isEmpty()) {
            verdict.complete(inDoubt.isEmpty() ? loss : Optional.empty());
        }
    }

    /** Returns {@code true} if the answer of another copy decides whether the hold was lost. */
    public boolean isUndecided() {
        return !verdict.isDone();
    }
}
