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
 * without a time limit throws {@link IllegalStateException}. A try returns {@code false}, as in the JDK. A {@link Lease} is not
 * tied to a thread. It is a different owner than every other lease and every thread.
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
}
