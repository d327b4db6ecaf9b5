package io.holdfast.internal.slot;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.ThreadNames;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A name in the hands of one owner, a thread or a lease: some time within a tenure, with a token of its own.
 *
 * <p>Levels are touched by the owning thread alone. A level with a lease of its own has an end; the end of the hold is the
 * latest of its levels, and there is none while a level is renewed by the watchdog. Once it is stopped, no level moves it.
 */
public final class Hold implements Outcome {

    public final Slot slot;
    public final Tenure tenure;
    public final long token;
    public final long since;
    public final HoldSpec spec;

    /** Who asked and parked; null for a future. */
    private final @Nullable Thread thread;

    /** What shows that a lease was forgotten; null if the thread owns the hold. */
    private final @Nullable WeakReference<Object> handle;

    /** The code that acquired it; empty if that is not recorded. */
    public final Optional<String> place;

    private int depth = 1;
    private long @Nullable [] ends;
    private volatile boolean watchdog;

    /** What the watchdog renews the hold for. Under the slot's mutex. */
    private HoldSpec renewal;

    private volatile long stopsAt = Durations.NEVER;
    public volatile @Nullable String lostBecause;
    public volatile boolean ended;
    /** Given back at once: not wanted, or not to be relied on. */
    public volatile boolean discarded;

    public volatile @Nullable Settlement settlement;
    public volatile boolean tooLongReported;

    Hold(Slot slot, Tenure tenure, long token, Waiter owner, long now) {
        this.slot = slot;
        this.tenure = tenure;
        this.token = token;
        this.since = now;
        this.spec = owner.spec;
        this.place = Optional.ofNullable(owner.place);
        this.thread = owner.thread;
        this.handle = owner.handle;
        this.watchdog = owner.spec.watchdog();
        this.renewal = owner.spec;
        if (!watchdog) {
            ends = new long[] {tenure.validity.deadline()};
        }
    }

    boolean ownedBy(Thread candidate) {
        return thread() == candidate;
    }

    /** Whether the owner can't release it any more: the thread is dead, or the lease was collected. */
    public boolean ownerGone() {
        Thread owner = thread();
        return owner != null ? !owner.isAlive() : handle != null && handle.refersTo(null);
    }

    /** The owning thread; null if a lease owns it. */
    @Nullable
    public Thread thread() {
        return handle == null ? thread : null;
    }

    /** Whether the thread acquired it as a lease. */
    boolean leasedBy(Thread candidate) {
        return handle != null && thread == candidate;
    }

    /** Whether the watchdog renews it. */
    public boolean watchdog() {
        return watchdog && !stopped();
    }

    /** Whether its end stays where it is, whatever its levels say. */
    public boolean stopped() {
        return stopsAt != Durations.NEVER;
    }

    /**
     * What the watchdog renews the hold for: the term of the outermost level that it renews, and the safety with which the
     * hold was acquired. Under the slot's mutex.
     */
    HoldSpec renewal() {
        return renewal;
    }

    /** Lets it end then at the latest. Under the slot's mutex. */
    void stopAt(long end) {
        stopsAt = end;
    }

    public int depth() {
        return depth;
    }

    /** Whether all levels are renewed by the watchdog. Such levels come and go without the mutex. */
    public boolean allRenewed() {
        return ends == null;
    }

    /** Adds a level of this term that ends at {@code end}, or never. Under the slot's mutex if any has an end. */
    public void enter(HoldSpec level, long end) {
        if (end == Durations.NEVER && !watchdog) {
            renewal = level.with(spec.safety());
        }
        if (end != Durations.NEVER && ends == null) {
            ends = new long[depth];
            Arrays.fill(ends, Durations.NEVER);
        }
        if (ends != null) {
            ends = Arrays.copyOf(ends, depth + 1);
            ends[depth] = end;
        }
        depth++;
        watchdog |= end == Durations.NEVER;
    }

    /** Ends the innermost level; returns whether the end of the hold is now an earlier one. Guarded like entering. */
    public boolean leave() {
        long before = end();
        depth--;
        watchdog = depth > 0 && endOfLevels() == Durations.NEVER;
        return depth > 0 && end() != before;
    }

    /** When the hold ends if nothing is renewed, in {@code nanoTime}; {@link Durations#NEVER} while the watchdog renews it. */
    public long end() {
        long levels = endOfLevels();
        boolean earlier = levels != Durations.NEVER && levels - stopsAt < 0;
        return stopped() && !earlier ? stopsAt : levels;
    }

    private long endOfLevels() {
        if (ends == null) {
            return Durations.NEVER;
        }
        long latest = ends[0];
        for (int level = 1; level < depth; level++) {
            boolean later = latest != Durations.NEVER && (ends[level] == Durations.NEVER || ends[level] - latest > 0);
            latest = later ? ends[level] : latest;
        }
        return latest;
    }

    /**
     * Moves the end of the only level of a lease to what a renewal has proven, never to an earlier time; returns whether the
     * hold is valid until then. Under the slot's mutex.
     */
    public boolean extend(Validity proven) {
        Validity longer = tenure.validity.orLater(proven);
        if (ended || lost() || longer.deadline() - proven.deadline() < 0) {
            return false;
        }
        ends = new long[] {proven.deadline() - endOfLevels() > 0 ? proven.deadline() : endOfLevels()};
        tenure.validity = longer.endingAt(end());
        return end() - proven.deadline() >= 0;
    }

    /** For how many nanoseconds the name is still to be kept; zero or less for no longer. */
    long toKeep(long now) {
        return spec.keep() == 0 ? 0 : since + spec.keep() - now;
    }

    public boolean lost() {
        return lostBecause != null;
    }

    /** Whether it can be relied on: not lost, not ended, and both clocks agree. */
    public boolean valid(long now, long wallMillis) {
        Validity validity = tenure.validity;
        return !ended && lostBecause == null && validity.alive(now) && !validity.suspect(now, wallMillis);
    }

    /** Takes the owner's release before it comes. Under the slot's mutex. */
    void endedBy(Settlement how) {
        ended = true;
        settlement = how;
    }

    /** Marks the loss; returns whether it was not known. Under the slot's mutex. */
    @CanIgnoreReturnValue
    public boolean lose(String reason) {
        boolean isNews = lostBecause == null;
        lostBecause = isNews ? reason : lostBecause;
        return isNews;
    }

    /** The owner has returned from its release: it is told nothing any more. Under the slot's mutex. */
    public boolean dropLossActions() {
        lossActions().clear();
        return true;
    }

    /** The actions for the loss, once it has happened; none if the lease was forgotten. */
    public List<LossAction> lossActions() {
        return handle != null && handle.get() instanceof OwnedLease lease ? lease.lossActions() : new ArrayList<>(0);
    }

    /** The owner, for a person. */
    public String owner() {
        Thread owner = thread();
        return owner != null
                ? ThreadNames.named(owner)
                : "lease " + Math.abs(tenure.id.number()) + "." + (token & 1023);
    }
}
