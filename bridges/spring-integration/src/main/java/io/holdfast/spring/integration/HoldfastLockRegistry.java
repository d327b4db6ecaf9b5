package io.holdfast.spring.integration;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.LockReport;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * A lock registry of Spring Integration whose locks are those of a Holdfast client.
 *
 * <p>The watchdog of the client renews each hold for as long as the thread lives that acquired it, so no time to live has to be
 * chosen and {@link #setRenewalTaskScheduler} does nothing. If the process dies, others can acquire the lock when the lease of
 * the client has ended.
 *
 * <p>The registry keeps no state for a key, so nothing has to be expired. It works with the versions 6 and 7 of Spring
 * Integration. It is safe for use by any thread, and does not close the client.
 */
public final class HoldfastLockRegistry implements RenewableLockRegistry {

    private final Holdfast holdfast;
    private final Function<Object, String> names;
    private final LockOptions options;

    /**
     * Creates a registry in which the name of a lock is the prefix and the text of the key, as by
     * {@link String#valueOf(Object)}.
     *
     * @param prefix for example {@code orders/}; may be empty
     */
    public HoldfastLockRegistry(Holdfast holdfast, String prefix) {
        this(holdfast, new PrefixedNames(prefix));
    }

    /** Creates a registry in which a function gives the locks their names. */
    public HoldfastLockRegistry(Holdfast holdfast, Function<Object, String> names) {
        this(holdfast, names, LockOptions.defaults());
    }

    /**
     * Creates a registry in which a function gives the locks their names, and all locks have the given options.
     *
     * @param names returns the name for a key: 1 to 512 bytes of UTF-8, not beginning with <code>hf:{</code>. Equal keys must
     *     have the same name in all processes
     */
    public HoldfastLockRegistry(Holdfast holdfast, Function<Object, String> names, LockOptions options) {
        this.holdfast = Objects.requireNonNull(holdfast, "holdfast");
        this.names = Objects.requireNonNull(names, "names");
        this.options = Objects.requireNonNull(options, "options");
    }

    /**
     * Returns the lock of the key. Makes no store call.
     *
     * <p>Locks of equal names are equal, and are the same lock. The lock has the contract of {@link DistributedLock}. In
     * particular, its unlock throws {@link IllegalMonitorStateException} if the current thread does not hold it, and
     * {@link LeaseLostException} if the hold was lost.
     *
     * @throws IllegalArgumentException if the name is not 1 to 512 bytes of UTF-8 or begins with <code>hf:{</code>; or if the
     *     registry has a prefix and the class of the key does not override {@link Object#toString}
     * @throws IllegalStateException if the client is closed
     */
    @Override
    public DistributedLock obtain(Object lockKey) {
        Objects.requireNonNull(lockKey, "lockKey");
        return holdfast.lock(names.apply(lockKey), options);
    }

    /**
     * Returns only if the store confirms that the current thread holds the lock of the key.
     *
     * <p>A call is never necessary to keep the lock, because the watchdog renews the hold. It is a check before a step that
     * cannot be undone. It calls the store, and waits for its answer for at most the command timeout. It is not interruptible,
     * and preserves the interrupt status.
     *
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     * @throws LeaseLostException if the hold was lost
     * @throws io.holdfast.StoreUnavailableException if the store did not answer within the command timeout; the hold is
     *     unchanged
     * @throws io.holdfast.StoreRefusedException if the store refused the request; the hold is unchanged
     * @throws IllegalArgumentException if the key has no lock
     * @throws IllegalStateException if the client is closed
     */
    @Override
    public void renewLock(Object lockKey) {
        DistributedLock lock = obtain(lockKey);
        long token = lock.fencingToken();
        boolean confirmed =
                lock.holder().map(LockReport.Holder::client).filter(this::isOwn).isPresent();
        if (lock.fencingToken() != token || !confirmed) {
            throw new LeaseLostException(
                    lock.name(),
                    token,
                    "lock " + quoted(lock.name()) + ", token " + token
                            + ": the hold was lost, because the store no longer knows it;"
                            + " undo or fence the work that was done under it");
        }
    }

    /**
     * Does the same as {@link #renewLock(Object)}, whatever the time is, because the watchdog renews the hold until it is
     * unlocked. A hold that was acquired with a lease argument still ends with that lease.
     *
     * <p>Spring Integration has this method from version 7.
     *
     * @param ttl above zero
     * @throws IllegalArgumentException if the time is zero or negative
     * @see #renewLock(Object) the other exceptions
     */
    public void renewLock(Object lockKey, Duration ttl) {
        if (ttl.isZero() || ttl.isNegative()) {
            throw new IllegalArgumentException("ttl " + ttl + " is not positive");
        }
        renewLock(lockKey);
    }

    private boolean isOwn(LockReport.Client client) {
        return client.id().equals(holdfast.clientId());
    }

    @Override
    public String toString() {
        return "lock registry over " + holdfast;
    }
}
