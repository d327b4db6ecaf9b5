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
 * reading, too, and then unlock for writing: it goes on reading, and nobody has written in between. The other way round is
 * refused with an {@link IllegalStateException}, as the thread would wait for itself; two that try would wait for each
 * other. {@link Lease}s belong to no thread and are strangers to each other and to all threads.
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
     * <p>What locks it for a thread that holds the read lock only throws {@link IllegalStateException}; so does a wait without
     * end for a lease, in a thread that reads.
     */
    @Override
    DistributedLock writeLock();
}
