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
    String place;

    public volatile @Nullable Outcome outcome;
    public volatile boolean told;
    /** The tenure by which it alone waits: in a fair queue, or for permits. It is null if it shares the tenure of its slot. */
    @Nullable
    Tenure ticket;

    /** The time from which the store is asked for it. */
    private long askedFrom = Durations.NEVER;

    public boolean answered;
    boolean timedOut;
    public Optional<String> holder = Optional.empty();
    private volatile Runnable teller;

    /**
     * Creates a waiter that has just arrived.
     *
     * @param teller notifies it, outside the mutex, that the outcome is there or that the lock may be taken
     */
    public Waiter(
            HoldSpec spec,
            long arrived,
            long deadline,
            @Nullable Thread thread,
            @Nullable WeakReference<Object> handle,
            Runnable teller) {
        this.spec = spec;
        this.arrived = arrived;
        this.deadline = deadline;
        this.thread = thread;
        this.handle = handle;
        this.teller = teller;
    }

    /** Records the code that asks, and returns this waiter. */
    public Waiter from(@Nullable String value) {
        place = value;
        return this;
    }

    /**
     * Notifies the waiter. After the last notification, it keeps nothing of the requester, so that a forgotten lease can be
     * detected.
     */
    public void tell() {
        Runnable last = teller;
        if (outcome != null) {
            teller = () -> {};
        }
        told = true;
        last.run();
    }

    /** Returns the tenure by which it alone waits. */
    Tenure ticket() {
        return Objects.requireNonNull(ticket);
    }

    /** Returns {@code true} if it takes the lock by itself when it is notified. Others may barge ahead until it runs. */
    boolean canTake() {
        return thread != null;
    }

    /** Returns {@code true} if it has any time to wait. */
    public boolean waits() {
        return deadline == Durations.NEVER || deadline - arrived > 0;
    }

    /** Returns {@code true} if it waits for its position in the queue to come up, instead of polling. */
    boolean queues() {
        return waits() && spec.waiting() != HoldSpec.Waiting.POLLING;
    }

    /** Records that the store is asked for it from the given time on, unless it was asked for it before. */
    void asked(long now) {
        askedFrom = askedFrom == Durations.NEVER ? now : askedFrom;
    }

    long askedFrom() {
        return askedFrom;
    }

    /**
     * Returns {@code true} if a request for this waiter alone is under way. The outcome of another request is then not its
     * answer.
     */
    boolean asksAlone(Tenure asked) {
        Tenure own = ticket;
        return own != null && own != asked && own.inFlight() && own.preparedFor == this;
    }

    boolean outOfTime(long now) {
        return timedOut || (deadline != Durations.NEVER && deadline - now <= 0);
    }
}
