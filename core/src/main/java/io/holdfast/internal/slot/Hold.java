package io.holdfast.internal.slot;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.LockObserver;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.ThreadNames;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The hold of one owner, a thread or a lease: a period within a tenure, with a token of its own.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Only the owning thread adds and ends levels.
 *   <li>A level with a lease of its own has an end. The end of the hold is the latest end of its levels. While the watchdog
 *       renews a level, the hold has no end.
 *   <li>Once the renewal of the hold is stopped, no level moves its end to a later time.
 * </ol>
 */
public final class Hold implements Outcome {

    public final Slot slot;
    public final Tenure tenure;
    public final long token;
    public final long since;
    public final HoldSpec spec;

    /** The thread that requested the hold and parked; null for a future. */
    private final @Nullable Thread thread;

    /**
     * A reference to the handle of a lease, which is cleared if the handle is garbage collected; null if the thread owns the
     * hold.
     */
    private final @Nullable WeakReference<Object> handle;

    /** The code that acquired the hold; empty if that is not recorded. */
    public final Optional<String> callSite;

    /** Set if a thread that did not acquire the lease has used it. */
    private volatile boolean passedOn;

    private int depth = 1;
    private long @Nullable [] ends;
    private volatile boolean watchdog;

    /** The spec with which the watchdog renews the hold. Guarded by the slot's mutex. */
    private HoldSpec renewal;

    private volatile long stopsAt = Durations.NEVER;
    public volatile @Nullable String lossReason;
    public volatile boolean ended;
    /** Set if the hold is released at once, because no caller receives it. Its tenure does not linger. */
    public volatile boolean discarded;
    /** Set if the hold is released while it is in doubt. Its tenure does not linger, and is not handed over. */
    public volatile boolean doubtful;

    public volatile @Nullable Settlement settlement;
    public volatile boolean tooLongReported;

    /** Those that are notified of the end of the hold. Guarded by the slot's mutex. */
    private volatile List<LockObserver.Holding> observers = List.of();

    Hold(Slot slot, Tenure tenure, long token, Waiter owner, long now) {
        this.slot = slot;
        this.tenure = tenure;
        this.token = token;
        this.since = now;
        this.spec = owner.spec;
        this.callSite = Optional.ofNullable(owner.callSite);
        this.thread = owner.thread;
        this.handle = owner.handle;
        this.watchdog = owner.spec.watchdog();
        this.renewal = owner.spec;
        if (!watchdog) {
            ends = new long[] {tenure.validity.end()};
        }
    }

    boolean ownedBy(Thread candidate) {
        return thread() == candidate;
    }

    /**
     * Returns {@code true} if the owner can no longer release the hold: the thread is dead, or the lease was garbage collected.
     */
    public boolean isAbandoned() {
        Thread owner = thread();
        return owner != null ? !owner.isAlive() : handle != null && handle.refersTo(null);
    }

    /** Returns the owning thread; null if a lease owns the hold. */
    public @Nullable Thread thread() {
        return handle == null ? thread : null;
    }

    /** Returns {@code true} if the thread acquired the hold as a lease, and no other thread has used that lease. */
    boolean leasedBy(Thread candidate) {
        return handle != null && thread == candidate && !passedOn;
    }

    /** Notes that the thread uses the lease. One that did not acquire it is expected to close it. */
    public void usedBy(Thread user) {
        if (user != thread && !passedOn) {
            passedOn = true;
        }
    }

    /** Returns {@code true} if the watchdog renews the hold. */
    public boolean watchdog() {
        return watchdog && !stopped();
    }

    /**
     * Returns {@code true} if the hold is lost at its deadline unless it is renewed: the watchdog renews it, or the store has
     * confirmed less than its own lease. Guarded by the slot's mutex.
     */
    public boolean needsRenewal() {
        return end() == Durations.NEVER || tenure.validity.deadline() - end() < 0;
    }

    /** Returns {@code true} if the renewal was stopped, so that no level moves the end of the hold to a later time. */
    public boolean stopped() {
        return stopsAt != Durations.NEVER;
    }

    /**
     * Returns the spec with which the watchdog renews the hold: that of the outermost level that it renews. Guarded by the
     * slot's mutex.
     */
    HoldSpec renewal() {
        return renewal;
    }

    /** Makes the hold end no later than the given time. Guarded by the slot's mutex. */
    void stopAt(long end) {
        stopsAt = end;
    }

    public int depth() {
        return depth;
    }

    /**
     * Returns {@code true} if no level has had an end of its own, so that the watchdog renews all levels. Such levels are added
     * and ended without the mutex.
     */
    public boolean allRenewed() {
        return ends == null;
    }

    /**
     * Adds a level with the given spec. Guarded by the slot's mutex if any level has an end.
     *
     * @param end the end of the level; {@link Durations#NEVER} if the watchdog renews it
     */
    public void enter(HoldSpec level, long end) {
        if (end == Durations.NEVER && !watchdog) {
            renewal = level;
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

    /**
     * Ends the innermost level. Guarded like {@link #enter}.
     *
     * @return whether the end of the hold is now an earlier one
     */
    public boolean exit() {
        long before = end();
        depth--;
        watchdog = depth > 0 && endOfLevels() == Durations.NEVER;
        return depth > 0 && end() != before;
    }

    /**
     * Returns the time at which the hold ends if nothing is renewed, in {@code nanoTime}; {@link Durations#NEVER} while the
     * watchdog renews it.
     */
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
     * Moves the end of the only level of a lease to the end that a renewal has requested, but never to an earlier time. Guarded
     * by the slot's mutex.
     *
     * @return whether the hold ends no earlier than that
     */
    public boolean extend(Validity proven) {
        Validity longer = tenure.validity.orLater(proven);
        if (ended || lost() || longer.deadline() - proven.deadline() < 0) {
            return false;
        }
        ends = new long[] {proven.end() - endOfLevels() > 0 ? proven.end() : endOfLevels()};
        tenure.validity = longer.endingAt(end());
        if (needsRenewal() && tenure.renewDue == Durations.NEVER) {
            tenure.renewDue = proven.sent() + proven.lease() / 3;
        }
        return end() - proven.end() >= 0;
    }

    /** Returns what is left of the minimum hold time, in nanoseconds; zero or less if it is over. */
    public long minHoldLeft(long now) {
        return spec.minHold() == 0 ? 0 : since + spec.minHold() - now;
    }

    public boolean lost() {
        return lossReason != null;
    }

    /**
     * Returns {@code true} if the hold can be relied on: it is not lost and has not ended, its deadline has not passed, and
     * both clocks agree.
     */
    public boolean valid(long now, long wallMillis) {
        Validity validity = tenure.validity;
        return !ended && lossReason == null && validity.unexpired(now) && !validity.suspect(now, wallMillis);
    }

    /** Ends the hold by the given settlement, before its owner releases it. Guarded by the slot's mutex. */
    void endedBy(Settlement how) {
        ended = true;
        settlement = how;
    }

    /**
     * Marks the hold as lost. Guarded by the slot's mutex.
     *
     * @return whether the loss was not known before
     */
    @CanIgnoreReturnValue
    public boolean lose(String reason) {
        boolean first = lossReason == null;
        lossReason = first ? reason : lossReason;
        return first;
    }

    /**
     * Sets those that are notified of the end of the hold. Guarded by the slot's mutex.
     *
     * @return {@code false} if the hold has ended or is lost
     */
    public boolean observe(List<LockObserver.Holding> holding) {
        boolean open = !ended && !lost();
        observers = open ? holding : observers;
        return open;
    }

    /** Returns those that are to be notified of the end of the hold. A second call returns none. */
    public List<LockObserver.Holding> takeObservers() {
        return observers.isEmpty() ? List.of() : slot.locked(this::removeObservers);
    }

    private List<LockObserver.Holding> removeObservers() {
        List<LockObserver.Holding> taken = observers;
        observers = List.of();
        return taken;
    }

    /** Drops the loss actions. After its release has returned, the owner is no longer notified. Guarded by the slot's mutex. */
    public boolean dropLossActions() {
        lossActions().clear();
        return true;
    }

    /**
     * Returns the actions to run when the hold is lost. There are none if a thread owns the hold, or if the lease was garbage
     * collected.
     */
    public List<LossAction> lossActions() {
        return lease().map(OwnedLease::lossActions).orElseGet(() -> new ArrayList<>(0));
    }

    private Optional<OwnedLease> lease() {
        return handle != null && handle.get() instanceof OwnedLease lease ? Optional.of(lease) : Optional.empty();
    }

    /** Notifies a lease that the close of its client has released the hold. */
    public void clientClosed() {
        lease().ifPresent(OwnedLease::clientClosed);
    }

    /** Returns {@code true} if the lease has not reached its owner within its own time. */
    public boolean isUndelivered(long now) {
        return now - since > spec.nanos()
                && lease().filter(lease -> !lease.isDelivered()).isPresent();
    }

    /** Returns the owner, for messages to people. */
    public String owner() {
        Thread owner = thread();
        return owner != null
                ? ThreadNames.named(owner)
                : "lease " + Math.abs(tenure.id.number()) + "." + (token & 1023);
    }
}
