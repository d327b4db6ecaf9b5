package io.holdfast.internal.slot;

import io.holdfast.internal.access.Durations;
import java.lang.ref.WeakReference;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A waiter for a lock: a blocked thread or a future. Guarded by its slot's mutex, except for volatile fields. */
public final class Waiter {

    public final HoldSpec spec;
    public final long arrived;
    public final long deadline;

    /** The thread that asks and parks; null for a future. The thread can take the lock by itself when it is notified. */
    final @Nullable Thread thread;

    /**
     * The reference by which the hold of a lease detects that the lease was forgotten; null if the thread will own the hold.
     */
    final @Nullable WeakReference<Object> handle;

    /** The code that asks; null if that is not recorded. */
    @Nullable
    String callSite;

    public volatile @Nullable Outcome outcome;
    public volatile boolean notified;
    /** The tenure by which it alone waits: in a fair queue, or for permits. It is null if it shares the tenure of its slot. */
    @Nullable
    Tenure ticket;

    /** The time from which the store is asked for it. */
    private long requestedSince = Durations.NEVER;

    public boolean answered;
    boolean timedOut;
    public Optional<String> holder = Optional.empty();
    private volatile Runnable notifier;

    /**
     * Creates a waiter that has just arrived.
     *
     * @param notifier notifies the requester, outside the mutex, that the waiter has an outcome or may try to acquire the lock
     */
    public Waiter(
            HoldSpec spec,
            long arrived,
            long deadline,
            @Nullable Thread thread,
            @Nullable WeakReference<Object> handle,
            Runnable notifier) {
        this.spec = spec;
        this.arrived = arrived;
        this.deadline = deadline;
        this.thread = thread;
        this.handle = handle;
        this.notifier = notifier;
    }

    /** Records the code that asks, and returns this waiter. */
    public Waiter at(@Nullable String site) {
        callSite = site;
        return this;
    }

    /**
     * Notifies the waiter. After the last notification, it keeps nothing of the requester, so that a forgotten lease can be
     * detected.
     */
    public void notifyRequester() {
        Runnable last = notifier;
        if (outcome != null) {
            notifier = () -> {};
        }
        notified = true;
        last.run();
    }

    /** Returns the tenure by which it alone waits. */
    Tenure ticket() {
        return Objects.requireNonNull(ticket);
    }

    /** Returns {@code true} if it takes the lock by itself when it is notified. Others may barge ahead until it runs. */
    boolean acquiresItself() {
        return thread != null;
    }

    /** Returns {@code true} if it has any time to wait. */
    public boolean canWait() {
        return deadline == Durations.NEVER || deadline - arrived > 0;
    }

    /** Returns {@code true} if it waits for its position in the queue to come up, instead of polling. */
    boolean queuesAtStore() {
        return canWait() && spec.waiting() != HoldSpec.Waiting.POLLING;
    }

    /** Records that the store is asked for it from the given time on, unless it was asked for it before. */
    void requestedAt(long now) {
        requestedSince = requestedSince == Durations.NEVER ? now : requestedSince;
    }

    long requestedSince() {
        return requestedSince;
    }

    /**
     * Returns {@code true} if a request for this waiter alone is under way. The outcome of another request is then not its
     * answer.
     */
    boolean requestsAlone(Tenure requested) {
        Tenure own = ticket;
        return own != null && own != requested && own.inFlight() && own.preparedFor == this;
    }

    boolean outOfTime(long now) {
        return timedOut || (deadline != Durations.NEVER && deadline - now <= 0);
    }
}
