package io.holdfast.redisson.api;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.redisson.api.OwnerLeases.Side;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

/**
 * Redisson's locks, semaphores and latches, implemented by a Holdfast client. No object of this class connects to a server.
 *
 * <p>{@link #client(Holdfast)} returns a {@link RedissonClient}, so code that is written against Redisson moves to Holdfast by
 * one changed bean. A method that Holdfast does not support throws {@link UnsupportedOperationException}, whose text names the
 * method.
 *
 * <p><strong>Owners.</strong> As with Redisson, a hold belongs to the thread that called {@code lock()}, or to the number that
 * was passed to {@code lockAsync(..)}, by default the id of the calling thread. The owners of asynchronous methods are known to
 * one object of this class only, so create one for each client, and use it for both locking and unlocking. Their holds last
 * until they are released or lost, or until the client is closed. A hold that a thread acquired by a blocking method is
 * released by that thread only.
 *
 * <p><strong>Leases.</strong> A lease of zero or less means that the watchdog renews the hold. A lease above zero is a fixed
 * lease of 100 ms to 365 days. A shorter or longer one is refused with {@link IllegalArgumentException}.
 *
 * <p><strong>Loss.</strong> The unlock of a lost hold throws {@link io.holdfast.LeaseLostException}, which is the
 * {@link IllegalMonitorStateException} that Redisson throws. An owner that locks again after a loss acquires the lock anew, as
 * with Redisson.
 *
 * <p><strong>Futures.</strong> Canceling a future of an acquire withdraws the request. A grant that was under way is released.
 * A repeated acquire by the same owner completes at once. It blocks the calling thread for a store call if a lease has to be
 * extended. So does {@code unlockAsync()} of a thread that acquired the lock by a blocking method. A second request of an owner
 * whose first one still waits is granted after the first one is released. Asynchronous methods without a counterpart in
 * Holdfast call the store on at most four threads of their own, which are daemons and end when they are idle.
 *
 * <p>Objects of this class are safe for use by any thread. The exceptions of the Holdfast client, such as
 * {@link io.holdfast.StoreUnavailableException}, are not changed.
 */
public final class RedissonLocks {

    private static final String NO_REST =
            "; use RedissonLocks.client(holdfast, redisson) to pass it to a Redisson client";
    private static final String OTHER_OVERLOAD =
            "; use the method that takes a name, or MultiLock or QuorumLock of Holdfast";

    /** The methods that are never passed on, because a lock of the other client would not be one of Holdfast. */
    private static final Set<String> LOCK_METHODS = Stream.concat(
                    Arrays.stream(RedissonLocks.class.getMethods()).map(Method::getName), Stream.of("getRedLock"))
            .filter(name -> name.startsWith("get"))
            .collect(Collectors.toUnmodifiableSet());

    private final Holdfast holdfast;
    private final Background background = new Background();
    private final OwnerLeases leases = new OwnerLeases();
    private final HeldPermits permits = new HeldPermits();
    private final Map<String, PermitCalls.Own> permitsById = new ConcurrentHashMap<>();

    private RedissonLocks(Holdfast holdfast) {
        this.holdfast = Objects.requireNonNull(holdfast, "holdfast");
    }

    /** Returns the locks of the given client. Makes no store call. */
    public static RedissonLocks of(Holdfast holdfast) {
        return new RedissonLocks(holdfast);
    }

    /**
     * Returns a Redisson client for locks, semaphores and latches. Every other method throws
     * {@link UnsupportedOperationException}.
     *
     * <p>{@link RedissonClient#shutdown()} closes the Holdfast client, which releases its locks. {@link RedissonClient#getId()}
     * returns {@link Holdfast#clientId()}.
     */
    public static RedissonClient client(Holdfast holdfast) {
        return client(of(holdfast), new Lifecycle(holdfast, null), (method, arguments) -> {
            throw Dispatcher.refusal("RedissonLocks", method, isLockMethod(method) ? OTHER_OVERLOAD : NO_REST);
        });
    }

    /**
     * Returns a Redisson client that takes locks, semaphores and latches from Holdfast, and passes every other method to the
     * given client.
     *
     * <p>The methods that return locks, semaphores or latches are never passed on, so an overload that Holdfast does not
     * support throws {@link UnsupportedOperationException}. Other objects of the given client do return Redisson's own locks:
     * its reactive and RxJava clients, its batches, and the locks of the entries of a map or a set.
     *
     * <p>{@link RedissonClient#shutdown()} closes the Holdfast client, which releases its locks, and shuts the given client
     * down.
     */
    public static RedissonClient client(Holdfast holdfast, RedissonClient rest) {
        Objects.requireNonNull(rest, "rest");
        return client(of(holdfast), new Lifecycle(holdfast, rest), (method, arguments) -> {
            if (isLockMethod(method)) {
                throw Dispatcher.refusal("RedissonLocks", method, OTHER_OVERLOAD);
            }
            return Dispatcher.call(rest, method, arguments);
        });
    }

    private static boolean isLockMethod(Method method) {
        return LOCK_METHODS.contains(method.getName());
    }

    private static RedissonClient client(RedissonLocks locks, Lifecycle lifecycle, Dispatcher.Fallback fallback) {
        return Dispatcher.of(RedissonClient.class, locks.background, fallback, lifecycle, locks);
    }

    /** Returns the lock of the given name, {@link Holdfast#lock(String)}. Makes no store call. */
    public RLock getLock(String name) {
        return lock(holdfast.lock(name), Side.LOCK, true);
    }

    /**
     * Returns the lock of the given name, as {@link #getLock(String)} does. Its waiters are notified, and do not spin. So the
     * method of a client that takes a back-off as well throws {@link UnsupportedOperationException}. Makes no store call.
     */
    public RLock getSpinLock(String name) {
        return getLock(name);
    }

    /** Returns the lock of the given name that its holder cannot lock again. Makes no store call. */
    public RLock getNonReentrantLock(String name) {
        return lock(holdfast.lock(name, LockOptions.defaults().withReentrant(false)), Side.LOCK, false);
    }

    /** Returns the fair lock of the given name, {@link Holdfast#fairLock(String)}. Makes no store call. */
    public RLock getFairLock(String name) {
        return lock(holdfast.fairLock(name), Side.LOCK, true);
    }

    /** Returns the fair lock of the given name that its holder cannot lock again. Makes no store call. */
    public RLock getNonReentrantFairLock(String name) {
        return lock(holdfast.fairLock(name, LockOptions.defaults().withReentrant(false)), Side.LOCK, false);
    }

    /**
     * Returns the lock of the given name, with methods that return its fencing token. The token is that of the owner's hold.
     * {@link RFencedLock#getToken()} throws {@link IllegalMonitorStateException} if the current thread does not hold the lock.
     * Makes no store call.
     */
    public RFencedLock getFencedLock(String name) {
        LockCalls calls = calls(holdfast.lock(name), Side.LOCK, true);
        AsyncLockCalls async = new AsyncLockCalls(calls, leases, background);
        return Dispatcher.of(RFencedLock.class, background, calls, async, new FencedCalls(calls, async));
    }

    /**
     * Returns a lock that acquires all given locks or none of them, {@link io.holdfast.recipes.MultiLock}. It has no
     * asynchronous methods. Keep the object between lock and unlock. Makes no store call.
     *
     * @throws IllegalArgumentException if a member is not a lock of this class; if there are no members; or if two have the
     *     same name in the same store
     */
    public RLock getMultiLock(RLock... members) {
        return Dispatcher.of(RLock.class, background, MultiLockCalls.of(members));
    }

    /** Returns the read/write lock of the given name, {@link Holdfast#readWriteLock(String)}. Makes no store call. */
    public RReadWriteLock getReadWriteLock(String name) {
        DistributedReadWriteLock lock = holdfast.readWriteLock(name);
        ReadWriteCalls calls = new ReadWriteCalls(
                name, lock(lock.readLock(), Side.READ, true), lock(lock.writeLock(), Side.WRITE, true));
        return Dispatcher.of(RReadWriteLock.class, background, calls);
    }

    /**
     * Returns the semaphore of the given name, {@link Holdfast#semaphore(String)}. Makes no store call.
     *
     * <p>A permit belongs to this object from its acquire to its release, by whichever thread. {@link RSemaphore#release(int)}
     * throws {@link UnsupportedOperationException} if this object holds fewer permits than it is to release, or if it would
     * release only a part of the permits that one call acquired. So a semaphore that one process releases and another one
     * acquires, as a signal, stays with Redisson.
     */
    public RSemaphore getSemaphore(String name) {
        return Dispatcher.of(RSemaphore.class, background, new SemaphoreCalls(holdfast.semaphore(name), permits));
    }

    /**
     * Returns the semaphore of the given name, with permits that have ids. Makes no store call.
     *
     * <p>A permit without a lease is renewed, and returns to the semaphore if this process dies. A release by a
     * process that did not acquire the permit takes it away from its holder, which is notified of the loss. Each call acquires
     * or releases one permit; the methods for several ids throw {@link UnsupportedOperationException}.
     */
    public RPermitExpirableSemaphore getPermitExpirableSemaphore(String name) {
        PermitCalls calls = new PermitCalls(holdfast.semaphore(name), permitsById);
        return Dispatcher.of(RPermitExpirableSemaphore.class, background, calls);
    }

    /**
     * Returns the latch of the given name, {@link Holdfast#countDownLatch(String)}. Makes no store call.
     *
     * <p>A latch that is not set counts as open, as with Redisson: an {@code await} returns, and a countdown has no effect.
     * {@link RCountDownLatch#trySetCount} sets an open latch again. To do so, it locks the name {@code redisson-latch:}
     * followed by the name of the latch, and waits for other callers that do the same.
     */
    public RCountDownLatch getCountDownLatch(String name) {
        LatchCalls calls = new LatchCalls(holdfast, holdfast.countDownLatch(name), background);
        return Dispatcher.of(RCountDownLatch.class, background, calls);
    }

    private RLock lock(DistributedLock lock, Side side, boolean reentrant) {
        LockCalls calls = calls(lock, side, reentrant);
        return Dispatcher.of(RLock.class, background, calls, new AsyncLockCalls(calls, leases, background));
    }

    private LockCalls calls(DistributedLock lock, Side side, boolean reentrant) {
        return new LockCalls(holdfast, lock, side, reentrant, leases);
    }

    @Override
    public String toString() {
        return "RedissonLocks of " + holdfast;
    }
}
