package io.holdfast.shedlock;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;

/**
 * A lock provider of ShedLock whose locks are kept by a Holdfast client.
 *
 * <p>A lock is a hold with a fixed lease of {@code lockAtMostFor}, which the store counts. It is not renewed: if the process
 * dies, the name is free after {@code lockAtMostFor}, and work that takes longer loses the lock. The loss is reported as a
 * {@link io.holdfast.LockEvent.Lost} of the client, and by {@link FencedSimpleLock#unlock}.
 *
 * <p>If the lock is unlocked before {@code lockAtLeastFor} has passed, the provider acquires a second lock with the suffix
 * {@value #KEPT_SUFFIX} for the remaining time. Until then, no provider can acquire the name, even if the client is closed or
 * its process dies. Code that uses the plain lock of the name without a provider does not see the second lock.
 *
 * <p>The provider is safe for use by any thread. It does not close the client.
 */
public final class HoldfastLockProvider implements ExtensibleLockProvider {

    /** The suffix of the lock that keeps a name until its {@code lockAtLeastFor} has passed. */
    public static final String KEPT_SUFFIX = ":lockAtLeastFor";

    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofDays(365);

    private final Holdfast holdfast;
    private final String prefix;

    /** Creates a provider whose locks have the names that ShedLock gives them. */
    public HoldfastLockProvider(Holdfast holdfast) {
        this(holdfast, "");
    }

    /**
     * Creates a provider whose locks have the prefix before their names.
     *
     * @param prefix for example {@code jobs/}; together with the name and the suffix at most 512 bytes of UTF-8
     */
    public HoldfastLockProvider(Holdfast holdfast, String prefix) {
        this.holdfast = Objects.requireNonNull(holdfast, "holdfast");
        this.prefix = Objects.requireNonNull(prefix, "prefix");
    }

    /**
     * Acquires the lock if it is free now, like {@link #tryLock}, but for ShedLock, which calls this method: its {@code unlock}
     * logs a loss instead of throwing it, because ShedLock unlocks where an exception would replace that of the task.
     *
     * @return a {@link FencedSimpleLock}; empty if another owner holds the lock, or if its {@code lockAtLeastFor} has not passed
     */
    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        return tryLock(configuration).map(TaskLock::new);
    }

    /**
     * Acquires the lock if it is free now. Does not wait for it.
     *
     * <p>The method makes two store calls if the lock is free, and one if another owner holds it. It waits for each answer for
     * at most the command timeout. The lock is not reentrant.
     *
     * <p>If the {@code lockAtLeastFor} of the name has not passed, the method holds the lock until it has found that out. That
     * takes up to 200 ms if the process that keeps the name does not answer. Another attempt in that time also returns an empty
     * result, even if {@code lockAtLeastFor} passes meanwhile.
     *
     * @return the lock; empty if another owner holds it, or if its {@code lockAtLeastFor} has not passed
     * @throws IllegalArgumentException if {@code lockAtMostFor} is not 100 ms to 365 days; or if the name with prefix and suffix
     *     is longer than 512 bytes of UTF-8 or begins with <code>hf:{</code>
     * @throws IllegalStateException if the client is closed
     * @throws LockException if the current thread is interrupted; nothing is acquired, and the interrupt status is set
     * @throws io.holdfast.StoreUnavailableException if the store did not answer; nothing is acquired
     * @throws io.holdfast.IndeterminateLockException if it is not known whether the store granted the lock; any grant is
     *     released in the background
     * @throws io.holdfast.StoreRefusedException if the store refused the request
     */
    public Optional<FencedSimpleLock> tryLock(LockConfiguration configuration) {
        Duration lease = requireLease(configuration);
        String name = prefix + configuration.getName();
        NameKeeper keeper = new NameKeeper(holdfast, name + KEPT_SUFFIX);
        return acquire(holdfast.lock(name), lease)
                .filter(acquired -> keeper.isFreeOrRelease(acquired))
                .map(acquired -> new HeldLock(configuration, new Held(acquired, keeper)));
    }

    /**
     * Returns the fencing token of the lock that the current thread acquired last from a provider of this kind and that is not
     * unlocked. ShedLock passes no lock to its tasks, so they use this method.
     *
     * <p>The token can be read after the hold was lost. A resource refuses it as soon as it has seen a higher one.
     *
     * @throws IllegalStateException if the current thread has acquired no lock, or has unlocked all of them
     */
    public static long currentFencingToken() {
        return ThreadHolds.innermost()
                .orElseThrow(() -> new IllegalStateException(
                        "thread " + quoted(Thread.currentThread().getName())
                                + " has no lock of a HoldfastLockProvider: call this method"
                                + " in the thread that runs the task, before the lock is unlocked"))
                .fencingToken();
    }

    static Duration requireLease(LockConfiguration configuration) {
        Duration lease = configuration.getLockAtMostFor();
        if (lease.compareTo(SHORTEST) < 0 || lease.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("lock " + quoted(configuration.getName()) + ": lockAtMostFor " + lease
                    + " is out of range: 100 ms to 365 days");
        }
        return lease;
    }

    private static Optional<Lease> acquire(DistributedLock lock, Duration lease) {
        try {
            return lock.tryAcquire(Duration.ZERO, lease);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockException("lock " + quoted(lock.name()) + " was not acquired: the thread was interrupted", e);
        }
    }
}
