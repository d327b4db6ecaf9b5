package io.holdfast.internal;

import io.holdfast.spi.Platform;
import java.lang.ref.WeakReference;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One who asks for a lock: a blocked thread, or a future. Guarded by its slot's mutex, except what is volatile. */
abstract class Waiter {

    final Term term;
    final long arrived;
    final long deadline;
    volatile @Nullable Outcome outcome;
    volatile @Nullable String site;
    boolean answered;
    Optional<String> holder = Optional.empty();

    Waiter(Term term, long arrived, long deadline) {
        this.term = term;
        this.arrived = arrived;
        this.deadline = deadline;
    }

    /** The thread that will own the hold; null if a lease will. */
    abstract @Nullable Thread owningThread();

    /** The thread that asked; null if it is not known or does not matter. */
    abstract @Nullable Thread askingThread();

    /** Whether it can be woken to take the lock by itself, so that others may overtake it until it runs. */
    abstract boolean canTake();

    /** Told, outside the mutex, that the outcome is there, or that the lock may be taken. */
    abstract void tell();

    /** What a hold of it watches to see that its owner is gone. */
    abstract @Nullable WeakReference<Object> handle();

    /** Whether it has any time to wait. */
    boolean waits() {
        return deadline != arrived;
    }

    boolean outOfTime(long now) {
        return deadline != Tenure.NEVER && deadline - now <= 0;
    }

    /** A thread that parks until told. */
    static final class Parked extends Waiter {

        private final Platform platform;
        private final Thread thread;
        private final @Nullable WeakReference<Object> handle;

        Parked(Platform platform, Term term, long arrived, long deadline, @Nullable WeakReference<Object> handle) {
            super(term, arrived, deadline);
            this.platform = platform;
            this.thread = Thread.currentThread();
            this.handle = handle;
        }

        @Override
        @Nullable
        Thread owningThread() {
            return handle == null ? thread : null;
        }

        @Override
        @Nullable
        Thread askingThread() {
            return thread;
        }

        @Override
        boolean canTake() {
            return true;
        }

        @Override
        void tell() {
            platform.unpark(thread);
        }

        @Override
        @Nullable
        WeakReference<Object> handle() {
            return handle;
        }
    }

    /** Told by running a task. */
    static final class Called extends Waiter {

        private final Runnable task;
        private final WeakReference<Object> handle;

        Called(Term term, long arrived, long deadline, WeakReference<Object> handle, Runnable task) {
            super(term, arrived, deadline);
            this.handle = handle;
            this.task = task;
        }

        @Override
        @Nullable
        Thread owningThread() {
            return null;
        }

        @Override
        @Nullable
        Thread askingThread() {
            return null;
        }

        @Override
        boolean canTake() {
            return false;
        }

        @Override
        void tell() {
            task.run();
        }

        @Override
        @Nullable
        WeakReference<Object> handle() {
            return handle;
        }
    }
}
