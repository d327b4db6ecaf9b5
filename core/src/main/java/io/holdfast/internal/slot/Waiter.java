package io.holdfast.internal.slot;

import io.holdfast.internal.access.Durations;
import java.lang.ref.WeakReference;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One who asks for a lock: a blocked thread, or a future. Guarded by its slot's mutex, except what is volatile. */
public final class Waiter {

    public final HoldSpec spec;
    public final long arrived;
    public final long deadline;

    /** The thread that asks and parks; null for a future. It can take the lock by itself when it is told. */
    final @Nullable Thread thread;

    /** What a lease's hold watches to see that the lease was forgotten; null if the thread will own the hold. */
    final @Nullable WeakReference<Object> handle;

    /** The code that asks; null if that is not recorded. */
    @Nullable
    String place;

    public volatile @Nullable Outcome outcome;
    public volatile boolean told;
    /** By which it waits in a fair place; null if it waits otherwise. */
    @Nullable
    Tenure ticket;

    /** From when the store is asked for it. */
    private long askedFrom = Durations.NEVER;

    public boolean answered;
    boolean timedOut;
    public Optional<String> holder = Optional.empty();
    private volatile Runnable teller;

    /**
     * A waiter that has just arrived.
     *
     * @param teller what tells it, outside the mutex, that the outcome is there, or that the lock may be taken
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

    /** The same, asked by this code. */
    public Waiter from(@Nullable String value) {
        place = value;
        return this;
    }

    /** After the last time nothing of who asked is kept, so that a forgotten lease can be seen to be. */
    public void tell() {
        Runnable last = teller;
        if (outcome != null) {
            teller = () -> {};
        }
        told = true;
        last.run();
    }

    /** Whether it takes the lock by itself when told, so that others may overtake it until it runs. */
    boolean canTake() {
        return thread != null;
    }

    /** Whether it has any time to wait. */
    public boolean waits() {
        return deadline == Durations.NEVER || deadline - arrived > 0;
    }

    /** Whether it waits for its place in the queue to come up, rather than polls. */
    boolean queues() {
        return waits() && spec.waiting() != HoldSpec.Waiting.POLLING;
    }

    /** The store is asked for it from then on, if it was not before. */
    void asked(long now) {
        askedFrom = askedFrom == Durations.NEVER ? now : askedFrom;
    }

    long askedFrom() {
        return askedFrom;
    }

    /** Returns whether a request for this waiter alone is under way. The outcome of another request is then not its answer. */
    boolean asksAlone(Tenure asked) {
        Tenure own = ticket;
        return own != null && own != asked && own.inFlight && own.preparedFor == this;
    }

    boolean outOfTime(long now) {
        return timedOut || (deadline != Durations.NEVER && deadline - now <= 0);
    }
}
