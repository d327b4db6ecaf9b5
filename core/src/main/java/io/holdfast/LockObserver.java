package io.holdfast;

/**
 * An observer of the acquires and the holds of one client, for metrics and traces. {@link Holdfast#addObserver} adds it.
 *
 * <p>It observes every acquire of a lock or of permits, blocking or asynchronous, that is not reentrant. A multi-lock, a quorum
 * lock and a segmented lock acquire their members one by one, so each attempt for a member is an acquire. Latches are not
 * observed.
 *
 * <p>In contrast to the events of a {@link LockListener}, no observation is dropped, and most methods are called on the thread
 * that acquires or releases. So an observer must not block, and must not use the locks of the client. An exception of an
 * observer is logged.
 */
@FunctionalInterface
public interface LockObserver {

    /** The kind of what is acquired. */
    enum Kind {
        /** A plain lock. */
        LOCK,
        /** A fair lock. */
        FAIR_LOCK,
        /** The read lock of a read/write lock. */
        READ_LOCK,
        /** The write lock of a read/write lock. */
        WRITE_LOCK,
        /** Permits of a semaphore. */
        PERMITS
    }

    /**
     * Called when an acquire begins, on the thread that makes it. Exactly one method of the result is called when the acquire
     * ends.
     *
     * @param name the name of the lock or semaphore
     */
    Acquiring acquire(Kind kind, String name);

    /** The observer of one acquire. */
    interface Acquiring {

        /**
         * Called when the lock was acquired, before its owner continues: on the thread that acquires, or for a future on the
         * executor that completes it, which for a member of a composite lock is a thread of the client. One method of the result
         * is called when the hold ends.
         */
        Holding acquired(long fencingToken);

        /** Called when the lock was not free in the time that the acquire may wait. */
        void timedOut();

        /** Called when the acquire was given up: its thread was interrupted, or its future was canceled. */
        void withdrawn();

        /** Called when the acquire failed with an error, for example because the store did not answer. */
        void failed(Throwable error);
    }

    /** The observer of one hold. */
    interface Holding {

        /**
         * Called when the owner has released the hold, on its thread, after the store has confirmed it or the wait for that is
         * over; or when the client was closed.
         */
        void released();

        /**
         * Called when the hold was lost, or when its owner ended without releasing it, on a thread of the client.
         *
         * @param reason the cause, as human-readable text
         */
        void lost(String reason);
    }
}
