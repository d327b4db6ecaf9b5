package io.holdfast;

import java.util.List;
import java.util.Optional;

/**
 * A client of one store, which provides locks and related objects.
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
 * <p>A process usually has one client. Threads that use the same client share its connections, and hand locks over to each
 * other without the store. A client is safe for use by any thread. Its own threads are daemons named
 * {@code holdfast-<client>-<use>}.
 */
public interface Holdfast extends AutoCloseable {

    /**
     * Connects to a store, with the defaults of {@link HoldfastBuilder}.
     *
     * <p>The store has an artifact of its own: {@code holdfast-redis}, or {@code holdfast-memory} to try the library without a
     * server.
     *
     * @param uri {@code redis://[user:password@]host[:port][/db]}; {@code memory:} for locks of this client alone;
     *     {@code memory:NAME} for locks that are shared inside this JVM; or the URI of another store on the class path
     * @throws IllegalArgumentException if the URI is not understood; for a known scheme, the text names the artifact to add
     * @throws StoreUnavailableException if the store cannot be reached
     * @throws StoreRefusedException if the store refuses, for example because of the password
     */
    static Holdfast connect(String uri) {
        return builder().uri(uri).build();
    }

    /** Returns a builder with the default options. */
    static HoldfastBuilder builder() {
        return new HoldfastBuilder();
    }

    /**
     * Returns the lock of the given name. Makes no store call, and creates nothing until the lock is acquired.
     *
     * @param name any text of 1 to 512 bytes of UTF-8 that does not begin with <code>hf:{</code>
     * @throws IllegalArgumentException if the name breaks that rule
     * @throws IllegalStateException if the client is closed
     */
    default DistributedLock lock(String name) {
        return lock(name, LockOptions.defaults());
    }

    /**
     * Returns the lock of the given name, with the given options. The options apply to this lock object, not to the name. Two
     * users of a name may have different options.
     *
     * @throws IllegalArgumentException if the name is not 1 to 512 bytes of UTF-8 or begins with <code>hf:{</code>; or if the
     *     linger is longer than a third of the lease
     * @throws IllegalStateException if the client is closed
     */
    DistributedLock lock(String name, LockOptions options);

    /**
     * Returns the fair lock of the given name. It is the same lock as {@link #lock(String)}, but waiters acquire it in the
     * order in which the store saw them, across all clients.
     *
     * <p>Nobody acquires the lock before a waiter that arrived earlier, not even in a client that already holds it. So it is
     * slower than {@link #lock(String)}. A waiter keeps its position in the queue when its connection is lost. It leaves the
     * queue when it is interrupted, its time is up, or its client is closed. If the lock is assigned to a client that no longer
     * responds, the next waiter acquires it within about 1 s. The other waiters of that client are then skipped until it asks
     * again, so the delay does not grow with their number.
     *
     * <p>{@link DistributedLock#tryLock()} acquires the lock if it is free, like that of a fair
     * {@link java.util.concurrent.locks.ReentrantLock}. However, the lock is assigned from one waiter to the next, so it is
     * never free while somebody waits. The fair lock and the other lock of a name can be used side by side. Both exclude each
     * other, and nobody acquires the name before a fair waiter that arrived earlier.
     *
     * @param name any text of 1 to 512 bytes of UTF-8 that does not begin with <code>hf:{</code>
     * @throws IllegalArgumentException if the name breaks that rule
     * @throws IllegalStateException if the client is closed
     */
    default DistributedLock fairLock(String name) {
        return fairLock(name, LockOptions.defaults());
    }

    /**
     * Returns the fair lock of the given name, with the given options.
     *
     * @throws IllegalArgumentException if the name is not 1 to 512 bytes of UTF-8 or begins with <code>hf:{</code>; or if the
     *     options have a linger
     * @throws IllegalStateException if the client is closed
     */
    DistributedLock fairLock(String name, LockOptions options);

    /**
     * Returns the read/write lock of the given name. Makes no store call.
     *
     * @param name any text of 1 to 512 bytes of UTF-8 that does not begin with <code>hf:{</code>
     * @throws IllegalArgumentException if the name breaks that rule
     * @throws IllegalStateException if the client is closed
     */
    default DistributedReadWriteLock readWriteLock(String name) {
        return readWriteLock(name, LockOptions.defaults());
    }

    /**
     * Returns the read/write lock of the given name, with the given options. Makes no store call.
     *
     * @throws IllegalArgumentException if the name is not 1 to 512 bytes of UTF-8 or begins with <code>hf:{</code>; or if the
     *     options have a linger
     * @throws IllegalStateException if the client is closed
     */
    DistributedReadWriteLock readWriteLock(String name, LockOptions options);

    /**
     * Returns the semaphore of the given name. Makes no store call. The semaphore has no permits until it is
     * {@linkplain DistributedSemaphore#trySetPermits given} some.
     *
     * <p>A caller that wants few permits may barge ahead of waiters. So a wait for many permits may starve while others take few of
     * them again and again; {@link #fairSemaphore(String)} prevents that.
     *
     * @param name any text of 1 to 512 bytes of UTF-8 that does not begin with <code>hf:{</code>
     * @throws IllegalArgumentException if the name breaks that rule
     * @throws IllegalStateException if the client is closed
     */
    default DistributedSemaphore semaphore(String name) {
        return semaphore(name, LockOptions.defaults());
    }

    /**
     * Returns the semaphore of the given name, with the given options. The reentrancy option has no effect.
     *
     * @throws IllegalArgumentException if the name is not 1 to 512 bytes of UTF-8 or begins with <code>hf:{</code>; or if the
     *     options have a linger
     * @throws IllegalStateException if the client is closed
     */
    DistributedSemaphore semaphore(String name, LockOptions options);

    /**
     * Returns the fair semaphore of the given name. It has the same permits as {@link #semaphore(String)}, but waiters acquire
     * them in the order in which the store saw the waiters. Nobody acquires free permits before a waiter that arrived earlier,
     * even if that waiter wants more than are free.
     *
     * @param name any text of 1 to 512 bytes of UTF-8 that does not begin with <code>hf:{</code>
     * @throws IllegalArgumentException if the name breaks that rule
     * @throws IllegalStateException if the client is closed
     */
    default DistributedSemaphore fairSemaphore(String name) {
        return fairSemaphore(name, LockOptions.defaults());
    }

    /**
     * Returns the fair semaphore of the given name, with the given options.
     *
     * @throws IllegalArgumentException if the name is not 1 to 512 bytes of UTF-8 or begins with <code>hf:{</code>; or if the
     *     options have a linger
     * @throws IllegalStateException if the client is closed
     */
    DistributedSemaphore fairSemaphore(String name, LockOptions options);

    /**
     * Returns the latch of the given name. Makes no store call.
     *
     * @param name any text of 1 to 512 bytes of UTF-8 that does not begin with <code>hf:{</code>
     * @throws IllegalArgumentException if the name breaks that rule
     * @throws IllegalStateException if the client is closed
     */
    DistributedLatch countDownLatch(String name);

    /**
     * Returns the holders and the waiters of the given name. Calls the store, and asks the holder for at most 200 ms.
     *
     * @throws StoreUnavailableException if the store did not answer within the command timeout
     * @throws IllegalArgumentException if the name is empty or too long
     * @throws IllegalStateException if the client is closed
     * @throws StoreRefusedException if the store refused the request
     */
    LockReport inspect(String name);

    /**
     * Returns reports of the held or awaited names that begin with the prefix, in no particular order. Calls the store, which
     * may have to scan all its keys.
     *
     * @param prefix the prefix; empty for all names
     * @throws StoreUnavailableException if the store did not answer within the command timeout
     * @throws IllegalStateException if the client is closed
     * @throws StoreRefusedException if the store refused the request
     */
    List<LockReport> list(String prefix);

    /**
     * Returns a report of the semaphore. It is empty if the semaphore has not been given permits. Calls the store.
     *
     * @throws IllegalArgumentException if the name is empty or too long
     * @throws IllegalStateException if the client is closed
     * @throws StoreUnavailableException if the store did not answer within the command timeout
     */
    Optional<SemaphoreReport> inspectSemaphore(String name);

    /**
     * Returns reports of the semaphores that have been given permits and whose names begin with the prefix, in no particular
     * order. Calls the store, which may have to scan all its keys.
     *
     * @param prefix the prefix; empty for all names
     * @throws IllegalStateException if the client is closed
     * @throws StoreUnavailableException if the store did not answer within the command timeout
     */
    List<SemaphoreReport> listSemaphores(String prefix);

    /**
     * Returns the count of the latch. The result is empty if the latch is not set. Calls the store.
     *
     * @throws IllegalArgumentException if the name is empty or too long
     * @throws IllegalStateException if the client is closed
     * @throws StoreUnavailableException if the store did not answer within the command timeout
     */
    Optional<LatchCount> inspectLatch(String name);

    /**
     * Returns the counts of the latches that are set and whose names begin with the prefix, in no particular order. Calls the
     * store, which may have to scan all its keys.
     *
     * @param prefix the prefix; empty for all names
     * @throws IllegalStateException if the client is closed
     * @throws StoreUnavailableException if the store did not answer within the command timeout
     */
    List<LatchCount> listLatches(String prefix);

    /** Adds a listener for all events from now on. See {@link LockListener} for the thread on which it is called. */
    void addListener(LockListener listener);

    /** Removes a listener. Does nothing if the listener was not added. */
    void removeListener(LockListener listener);

    /** Adds an observer for all acquires from now on. See {@link LockObserver} for the threads on which it is called. */
    void addObserver(LockObserver observer);

    /** Removes an observer. It still observes the end of what it observes. Does nothing if the observer was not added. */
    void removeObserver(LockObserver observer);

    /** Returns whether the store answers this client, and how long the holds of this client last. Makes no store call. */
    ClientHealth health();

    /** Returns counters and gauges of this client. Makes no store call. */
    Stats stats();

    /** Returns the scheme of the store's URI, such as {@code redis}. */
    String scheme();

    /** Returns the random id of this client, which other clients see. */
    String clientId();

    /**
     * Releases all holds of this client, ends its waits, and disconnects.
     *
     * <p>New calls are refused, and waits end with {@link IllegalStateException}. The method waits for the store for at most
     * {@code closeTimeout} (default 5 s). Holds whose release is not confirmed by then are logged, with the time at which their
     * lease ends. A second call does nothing. The method is not interruptible, and preserves the interrupt status.
     *
     * <p>A hold that an owner has not released ends here: the later {@link DistributedLock#unlock}, and the first
     * {@link Lease#close}, throw an {@link IllegalStateException} that names the closed client. Store calls that are under way
     * fail with {@link IllegalStateException}; a call that may have changed something fails with
     * {@link IndeterminateLockException} instead. A lock that {@link DistributedLock#runOnce runOnce} holds for its
     * {@code minHold} stays held until that time is up.
     */
    @Override
    void close();

    /** Returns the name, the id, the store and the current holds of this client. Makes no store call. */
    @Override
    String toString();
}
