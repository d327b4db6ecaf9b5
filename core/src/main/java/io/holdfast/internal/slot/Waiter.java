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

    /**
     * The thread that requests the lock and parks; null for a future. When it is notified, it tries to acquire the lock by
     * itself.
     */
    final @Nullable Thread thread;

    /** The reference by which a hold detects that its lease was garbage collected; null if the thread will own the hold. */
    final @Nullable WeakReference<Object> handle;

    /** The source line of the acquire; null if it is not recorded. */
    @Nullable
    String callSite;

    public volatile @Nullable Outcome outcome;
    public volatile boolean notified;
    /** Its own tenure, in a fair queue or for permits; null if it shares the tenure of its slot. */
    @Nullable
    Tenure ticket;

    /** The time of the first request for it. */
    private long requestedSince = Durations.NEVER;

    boolean answered;
    boolean timedOut;
    Optional<String> holder = Optional.empty();
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

    /** Records the source line of the acquire, and returns this waiter. */
    public Waiter at(@Nullable String site) {
        callSite = site;
        return this;
    }

    /**
     * Notifies the requester. After the last notification, the waiter no longer references the requester, so that an abandoned
     * lease can be garbage collected.
     */
    public void notifyRequester() {
        Runnable last = notifier;
        if (outcome != null) {
            notifier = () -> {};
        }
        notified = true;
        last.run();
    }

    /** Returns its own tenure. */
    Tenure ticket() {
        return Objects.requireNonNull(ticket);
    }

    /** Returns {@code true} if it acquires the lock by itself when it is notified. Others may barge ahead until it runs. */
    boolean acquiresItself() {
        return thread != null;
    }

    /** Returns {@code true} if it has any time to wait. It then needs a position in the queue of the store. */
    public boolean canWait() {
        return deadline == Durations.NEVER || deadline - arrived > 0;
    }

    /** Records a request for it at the given time, unless there was an earlier one. */
    void requestedAt(long now) {
        requestedSince = requestedSince == Durations.NEVER ? now : requestedSince;
    }

    long requestedSince() {
        return requestedSince;
    }

    /**
     * Returns {@code true} if a request for this waiter alone is under way. The reply to another request is then not its
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
