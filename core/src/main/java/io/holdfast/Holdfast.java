package io.holdfast;

import io.holdfast.internal.multi.ClientMultiLock;
import io.holdfast.internal.quorum.ClientQuorumLock;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A client: the way to locks that are kept in one store.
 *
 * <pre>{@code
 * try (Holdfast holdfast = Holdfast.connect("redis://localhost")) {
 *     DistributedLock lock = holdfast.lock("orders/42");
 *     lock.lock();
 *     try {
 *         ship(42, lock.fencingToken());
 *     } finally {
 *         lock.unlock();
 *     }
 * }
 * }</pre>
 *
 * <p>One client a process is usual: threads that use the same client share its connections, and pass a lock to each other
 * without the store. Safe for use by any thread. Its own threads are daemons named {@code holdfast-<client>-<use>}.
 */
public interface Holdfast extends AutoCloseable {

    /**
     * Connects to a store, with the defaults of {@link HoldfastBuilder}.
     *
     * @param uri {@code redis://[user:password@]host[:port][/db]}, {@code memory:} for locks of this client alone,
     *     {@code memory:NAME} for locks shared inside this JVM, or what other stores on the class path understand
     * @throws IllegalArgumentException if the URI is not understood; the text names the artifact to add for a known scheme
     * @throws StoreUnavailableException if the store cannot be reached
     * @throws StoreRefusedException if the store refuses, for example the password
     */
    static Holdfast connect(String uri) {
        return builder().uri(uri).build();
    }

    /** A builder with the defaults. */
    static HoldfastBuilder builder() {
        return new HoldfastBuilder();
    }

    /**
     * The lock of this name. No store call; nothing is created until it is acquired.
     *
     * @param name any text of 1 to 512 bytes of UTF-8 that does not begin with <code>hf:{</code>
     * @throws IllegalArgumentException if the name breaks that rule
     * @throws IllegalStateException if the client is closed
     */
    default DistributedLock lock(String name) {
        return lock(name, LockOptions.defaults());
    }

    /**
     * The lock of this name, used with these options. Options are of the acquirer, not of the name: two users may differ.
     *
     * @throws IllegalArgumentException if the name is not 1 to 512 bytes of UTF-8, or begins with <code>hf:{</code>; or if
     *     the linger is longer than a third of the lease
     * @throws IllegalStateException if the client is closed
     * @throws UnsupportedOperationException if there is a linger, and the store sends no messages
     */
    DistributedLock lock(String name, LockOptions options);

    /**
     * The fair lock of this name: the same lock as {@link #lock(String)}, but waited for in the order in which the store saw
     * the waiters, over all clients.
     *
     * <p>Nobody gets the lock before one who came earlier, also not in a client that has it already; so it is slower than
     * {@link #lock(String)}. A waiter keeps its place through reconnects, and gives it up when it is interrupted, its time is
     * up, or its client is closed. A place whose client does not answer costs the others at most one claim window of a second,
     * however many places that client has.
     *
     * <p>{@link DistributedLock#tryLock()} takes the lock if it is free, as that of a fair
     * {@link java.util.concurrent.locks.ReentrantLock} does; as a lock that is waited for is handed from one to the next, it
     * is never free then. The fair and the other lock of a name may be used side by side: both exclude each other, and nobody
     * takes the name before a fair waiter that came earlier.
     *
     * @param name any text of 1 to 512 bytes of UTF-8 that does not begin with <code>hf:{</code>
     * @throws IllegalArgumentException if the name breaks that rule
     * @throws IllegalStateException if the client is closed
     * @throws UnsupportedOperationException if the store keeps no queue
     */
    default DistributedLock fairLock(String name) {
        return fairLock(name, LockOptions.defaults());
    }

    /**
     * The fair lock of this name, used with these options.
     *
     * @throws IllegalArgumentException if the name is not 1 to 512 bytes of UTF-8, or begins with <code>hf:{</code>; or if the
     *     options say to wait by {@linkplain WaitStrategy#POLLING polling}, or have a linger
     * @throws IllegalStateException if the client is closed
     * @throws UnsupportedOperationException if the store keeps no queue
     */
    DistributedLock fairLock(String name, LockOptions options);

    /**
     * The read/write lock of this name. No store call.
     *
     * @param name any text of 1 to 512 bytes of UTF-8 that does not begin with <code>hf:{</code>
     * @throws IllegalArgumentException if the name breaks that rule
     * @throws IllegalStateException if the client is closed
     * @throws UnsupportedOperationException if the store keeps no read/write locks
     */
    default DistributedReadWriteLock readWriteLock(String name) {
        return readWriteLock(name, LockOptions.defaults());
    }

    /**
     * The read/write lock of this name, used with these options. No store call.
     *
     * @throws IllegalArgumentException if the name is not 1 to 512 bytes of UTF-8, or begins with <code>hf:{</code>; or if the
     *     options have a linger
     * @throws IllegalStateException if the client is closed
     * @throws UnsupportedOperationException if the store keeps no read/write locks
     */
    DistributedReadWriteLock readWriteLock(String name, LockOptions options);

    /**
     * The semaphore of this name. No store call; it has no permits until it is {@linkplain DistributedSemaphore#trySetPermits
     * given} some.
     *
     * @param name any text of 1 to 512 bytes of UTF-8 that does not begin with <code>hf:{</code>
     * @throws IllegalArgumentException if the name breaks that rule
     * @throws IllegalStateException if the client is closed
     * @throws UnsupportedOperationException if the store keeps no semaphores
     */
    default DistributedSemaphore semaphore(String name) {
        return semaphore(name, LockOptions.defaults());
    }

    /**
     * The semaphore of this name, used with these options; that of re-entry means nothing here.
     *
     * @throws IllegalArgumentException if the name is not 1 to 512 bytes of UTF-8, or begins with <code>hf:{</code>; or if the
     *     options have a linger
     * @throws IllegalStateException if the client is closed
     * @throws UnsupportedOperationException if the store keeps no semaphores
     */
    DistributedSemaphore semaphore(String name, LockOptions options);

    /**
     * The fair semaphore of this name: the same permits as {@link #semaphore(String)}, but waited for in the order in which the
     * store saw the waiters. Nobody takes what is free before one who came earlier, also if that one wants more than is free.
     *
     * @param name any text of 1 to 512 bytes of UTF-8 that does not begin with <code>hf:{</code>
     * @throws IllegalArgumentException if the name breaks that rule
     * @throws IllegalStateException if the client is closed
     * @throws UnsupportedOperationException if the store keeps no semaphores
     */
    default DistributedSemaphore fairSemaphore(String name) {
        return fairSemaphore(name, LockOptions.defaults());
    }

    /**
     * The fair semaphore of this name, used with these options.
     *
     * @throws IllegalArgumentException if the name is not 1 to 512 bytes of UTF-8, or begins with <code>hf:{</code>; or if the
     *     options say to wait by {@linkplain WaitStrategy#POLLING polling}, or have a linger
     * @throws IllegalStateException if the client is closed
     * @throws UnsupportedOperationException if the store keeps no semaphores
     */
    DistributedSemaphore fairSemaphore(String name, LockOptions options);

    /**
     * The latch of this name. No store call.
     *
     * @param name any text of 1 to 512 bytes of UTF-8 that does not begin with <code>hf:{</code>
     * @throws IllegalArgumentException if the name breaks that rule
     * @throws IllegalStateException if the client is closed
     * @throws UnsupportedOperationException if the store keeps no latches
     */
    DistributedLatch countDownLatch(String name);

    /**
     * The lock that takes all these locks or none. No store call.
     *
     * @throws IllegalArgumentException if there is none, if two are of the same name in the same store, or if one is not of
     *     a Holdfast client
     */
    static MultiLock multiLock(DistributedLock... members) {
        return multiLock(List.of(members));
    }

    /**
     * The lock that takes all these locks or none, whichever clients and stores they are of. No store call.
     *
     * <p>The same store is known by its address; two locks of one name that are reached by two addresses of one store would
     * wait for each other.
     *
     * @throws IllegalArgumentException if there is none, if two are of the same name in the same store, or if one is not of
     *     a Holdfast client
     */
    static MultiLock multiLock(Collection<? extends DistributedLock> members) {
        return ClientMultiLock.of(members);
    }

    /**
     * The lock of this name over several servers, which is held when a majority of them has granted it. No store call.
     *
     * @param servers 3, 5, 7 or 9 clients, each of another server, which must not be a replica of another one
     * @throws IllegalArgumentException if their number is another one, if two are of one server, or if the name is not that
     *     of a lock
     * @throws IllegalStateException if a client is closed
     */
    static QuorumLock quorumLock(String name, List<Holdfast> servers) {
        return quorumLock(name, servers, QuorumOptions.defaults());
    }

    /**
     * The lock of this name over several servers, used with these options.
     *
     * @param servers 3, 5, 7 or 9 clients, each of another server, which must not be a replica of another one
     * @throws IllegalArgumentException if their number is another one, if two are of one server, if the name is not that of a
     *     lock, or if the budget is not below the lease
     * @throws IllegalStateException if a client is closed
     */
    static QuorumLock quorumLock(String name, List<Holdfast> servers, QuorumOptions options) {
        return ClientQuorumLock.of(name, servers, options);
    }

    /**
     * The resource of this name, cut into segments with a lock each. No store call.
     *
     * @param name any text that is still a lock name when {@code #} and the number of a segment are added
     * @param segments how many, 1 to 1024
     * @throws IllegalArgumentException if name or number break these rules
     * @throws IllegalStateException if the client is closed
     */
    default SegmentedLock segmented(String name, int segments) {
        return segmented(name, segments, LockOptions.defaults());
    }

    /**
     * The resource of this name, cut into segments whose locks are used with these options.
     *
     * @throws IllegalArgumentException if the name does not leave room for {@code #} and a number, or if segments are not
     *     1 to 1024, or if the options have a linger
     * @throws IllegalStateException if the client is closed
     */
    SegmentedLock segmented(String name, int segments, LockOptions options);

    /**
     * The election of this name, which is kept as the lock of this name. No store call.
     *
     * @throws IllegalArgumentException if the name is not that of a lock
     * @throws IllegalStateException if the client is closed
     */
    default LeaderElection leaderElection(String name) {
        return leaderElection(name, LockOptions.defaults());
    }

    /**
     * The election of this name, used with these options: the lease says how soon a leader that died is followed by another.
     *
     * @throws IllegalArgumentException if the name is not that of a lock, or if the options have a linger
     * @throws IllegalStateException if the client is closed
     */
    LeaderElection leaderElection(String name, LockOptions options);

    /**
     * Who holds the name and who waits for it. Calls the store, and asks the holder for at most 200 ms.
     *
     * @throws StoreUnavailableException if the store did not answer within the command timeout
     */
    LockReport inspect(String name);

    /**
     * The held or awaited names that begin with the prefix, in no order; empty for all. Calls the store, which may have to
     * walk over all its keys.
     *
     * @throws StoreUnavailableException if the store did not answer within the command timeout
     */
    List<LockReport> list(String prefix);

    /**
     * What the store knows of the semaphore; empty if it was given no permits, or if the store keeps no
     * semaphores. Calls the store.
     *
     * @throws IllegalArgumentException if the name is empty or too long
     * @throws IllegalStateException if the client is closed
     * @throws StoreUnavailableException if the store did not answer within the command timeout
     */
    Optional<SemaphoreReport> inspectSemaphore(String name);

    /**
     * The semaphores that were given permits and whose names begin with the prefix, in no order; empty for all. Calls the store,
     * which may have to walk over all its keys.
     *
     * @throws IllegalStateException if the client is closed
     * @throws StoreUnavailableException if the store did not answer within the command timeout
     */
    List<SemaphoreReport> listSemaphores(String prefix);

    /**
     * What the store knows of the latch; empty if it is not set, or if the store keeps no latches. Calls the store.
     *
     * @throws IllegalArgumentException if the name is empty or too long
     * @throws IllegalStateException if the client is closed
     * @throws StoreUnavailableException if the store did not answer within the command timeout
     */
    Optional<LatchCount> inspectLatch(String name);

    /**
     * The latches that are set and whose names begin with the prefix, in no order; empty for all. Calls the store, which may
     * have to walk over all its keys.
     *
     * @throws IllegalStateException if the client is closed
     * @throws StoreUnavailableException if the store did not answer within the command timeout
     */
    List<LatchCount> listLatches(String prefix);

    /** Adds a listener for what happens from now on; see {@link LockListener} for the thread it is called on. */
    void addListener(LockListener listener);

    /** Removes a listener; does nothing if it was not added. */
    void removeListener(LockListener listener);

    /** Counters and gauges. No store call. */
    Stats stats();

    /** The random id of this client, as other clients see it. */
    String clientId();

    /**
     * Releases what this client holds, ends what it waits for, and disconnects.
     *
     * <p>New calls are refused, waits end with {@link IllegalStateException}. Waits for the store at most
     * {@code closeTimeout} (default 5 s); holds that are not confirmed released by then are logged, with the time at which
     * their lease ends. An owner that is still inside has its hold ended: {@link DistributedLock#unlock} and the first
     * {@link Lease#close} throw {@link IllegalStateException}, which says so. A call to the store that is under way fails;
     * if it changes something, by {@link IndeterminateLockException}. A name that
     * {@link DistributedLock#runOnce runOnce} keeps stays taken until its time is up. Does nothing the second time. Not
     * interruptible; an interrupt is kept.
     */
    @Override
    void close();

    /** Name, id, store, and what is held. No store call. */
    @Override
    String toString();
}
