package io.holdfast;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * Two locks of one name: one to write, held by one owner, and one to read, held by any number of them while nobody writes.
 *
 * <p><b>Waiting.</b> Neither side starves: readers that come when somebody waits to write wait behind it, and readers that
 * wait are let in together, before whoever came to write after them.
 *
 * <p><b>In one client</b> the first reader asks the store, and those who come while it reads join it without a store call.
 * A reader with a lease of its own is not joined and joins nobody, so that it costs a store call and ends when it is meant to.
 *
 * <p><b>Both.</b> Each of the two may be entered again by the thread that holds it. The thread that writes may lock for
 * reading, too, and then unlock for writing: it goes on reading, and nobody has written in between. The other way round, a
 * wait without end throws {@link IllegalStateException} because the thread would wait for itself, and a try returns false,
 * as in the JDK. Who reads and may have to write takes the {@link #upgradeableLock()}. {@link Lease}s belong to no thread and are
 * strangers to each other and to all threads.
 *
 * <p><b>Tokens.</b> A reader's {@linkplain DistributedLock#fencingToken() token} is higher than that of any who wrote before
 * it, and lower than that of any who writes after it; readers that share may have the same.
 *
 * <p>The name is that of a lock, too: what is held as a read/write lock is refused as a {@link Holdfast#lock lock} with a
 * {@link StoreRefusedException}, and the reverse.
 */
public interface DistributedReadWriteLock extends ReadWriteLock {

    /** The name. */
    String name();

    /**
     * {@inheritDoc}
     *
     * <p>Its {@link DistributedLock#holder()} and {@link DistributedLock#forceUnlock()} are about the name, whoever holds it
     * and how; {@link Holdfast#inspect} shows all who read.
     */
    @Override
    DistributedLock readLock();

    /**
     * {@inheritDoc}
     *
     * <p>A wait without end, for the lock or for a lease of it, throws {@link IllegalStateException} in a thread that holds
     * the read lock only; a try returns false. If that thread has lost its read hold, both throw {@link LeaseLostException}.
     */
    @Override
    DistributedLock writeLock();

    /**
     * The lock to read with, and perhaps to write later without letting anybody write in between: held by one owner at a time,
     * while others read.
     *
     * <pre>{@code
     * lock.upgradeableLock().lock();
     * try {
     *     if (isMissing()) {
     *         lock.writeLock().lock(); // waits until nobody else reads; nobody else can write before
     *         try {
     *             write();
     *         } finally {
     *             lock.writeLock().unlock();
     *         }
     *     }
     * } finally {
     *     lock.upgradeableLock().unlock();
     * }
     * }</pre>
     *
     * <p>It waits for who writes and for another that holds it, and lets those pass that waited to write. The thread that holds
     * it may lock for reading and for writing. To write it goes before all who wait, and no reader is let in meanwhile, unless
     * it waits by polling and so has no place among those who wait. If it loses this lock until it writes, the attempt throws
     * {@link LeaseLostException}, as others may have written. Whoever writes may take it, too, and then unlock for writing.
     *
     * <p>A thread that would wait for itself is refused with an {@link IllegalStateException}: one that holds the read lock and
     * wants this one, and one that holds both and wants to write. Its tries are not refused. A {@link Lease} of it reads, and keeps out all who would
     * write, its own thread as well.
     */
    DistributedLock upgradeableLock();
}
