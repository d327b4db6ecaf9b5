package io.holdfast;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * A pair of locks of one name, one for reading and one for writing. Any number of owners can hold the read lock while nobody
 * writes. One owner can hold the write lock.
 *
 * <p><b>Waiting.</b> Neither side starves. Readers that arrive while an owner waits to write wait behind that owner. Waiting
 * readers are admitted together, before a writer that arrived after them.
 *
 * <p><b>Cost.</b> In one client, the first reader asks the store. Readers that arrive while it reads join it without a store
 * call. A reader with a fixed lease is not joined and does not join others. So it costs one store call, and ends with its own
 * lease.
 *
 * <p><b>Reentrancy.</b> A thread that holds one of the locks can enter it again. A thread that holds the write lock can also
 * acquire the read lock and then release the write lock. It then continues to read, and nobody has written in between. The
 * other direction is refused. A thread that holds only the read lock would wait for itself, so an acquire of the write lock
 * without a time limit throws {@link IllegalStateException}. A try returns {@code false}, as in the JDK. An owner that reads
 * and may have to write uses the {@link #upgradeableLock()}. A {@link Lease} is not tied to a thread. It is a different owner
 * than every other lease and every thread.
 *
 * <p><b>Tokens.</b> A reader's {@linkplain DistributedLock#fencingToken() token} is higher than that of any writer before it,
 * and lower than that of any writer after it. Readers that share the lock may have the same token.
 *
 * <p>The name is also the name of a lock. While it is held as a read/write lock, acquiring it as a {@link Holdfast#lock lock}
 * throws {@link StoreRefusedException}. The reverse is also true.
 */
public interface DistributedReadWriteLock extends ReadWriteLock {

    /** Returns the name of this read/write lock. */
    String name();

    /**
     * {@inheritDoc}
     *
     * <p>Its {@link DistributedLock#holder()} and {@link DistributedLock#forceUnlock()} apply to the name, whichever owner
     * holds it and in whichever mode. {@link Holdfast#inspect} returns all readers.
     */
    @Override
    DistributedLock readLock();

    /**
     * {@inheritDoc}
     *
     * <p>If a thread holds only the read lock, an acquire without a time limit throws {@link IllegalStateException} in that
     * thread. This applies to the lock and to a lease of it. A try returns {@code false}. If the thread has lost its read hold,
     * locking and trying throw {@link LeaseLostException}.
     */
    @Override
    DistributedLock writeLock();

    /**
     * Returns the lock for an owner that reads and may write later, without another writer in between. One owner at a time can
     * hold it, while others read.
     *
     * <pre>{@code
     * lock.upgradeableLock().lock();
     * try {
     *     if (isMissing()) {
     *         lock.writeLock().lock(); // waits until the other readers have released; no other writer can acquire it
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
     * <p>An acquire waits for a writer and for another holder of this lock, and does not barge ahead of waiting writers. The
     * thread that holds this lock can acquire the read lock and the write lock. Its acquire of the write lock is granted before
     * all waiters, and no new reader is admitted while it waits. There is one exception: a thread that waits by polling has no
     * position in the queue. If the thread loses this lock before it writes, the attempt throws {@link LeaseLostException},
     * because others may have written. A writer can also acquire this lock, and then release the write lock.
     *
     * <p>An acquire without a time limit by a thread that would wait for itself throws {@link IllegalStateException}. This
     * applies to a thread that holds the read lock and acquires this lock. It also applies to a thread that holds both and
     * acquires the write lock. A {@code tryLock} does not throw in these cases. It acquires this lock, but not the write lock,
     * as long as the thread is a reader itself. A {@link Lease} of this lock is a reader that excludes all writers, even the
     * thread that acquired it.
     */
    DistributedLock upgradeableLock();
}
