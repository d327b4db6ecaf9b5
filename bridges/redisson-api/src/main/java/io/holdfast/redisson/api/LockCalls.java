package io.holdfast.redisson.api;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LeaseLostException;
import io.holdfast.LockReport;
import io.holdfast.LockReport.Mode;
import io.holdfast.redisson.api.OwnerLeases.Ended;
import io.holdfast.redisson.api.OwnerLeases.Owner;
import io.holdfast.redisson.api.OwnerLeases.Side;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The blocking methods of a lock. The current thread owns a hold in the thread API of Holdfast, or a lease of
 * {@link OwnerLeases} that an asynchronous method acquired under the id of the thread.
 */
final class LockCalls {

    private static final long FREE = -2;

    /** An acquire that may throw a checked exception. */
    interface Attempt<E extends Exception> {
        boolean run() throws E;
    }

    private final Holdfast client;
    private final DistributedLock lock;
    private final Side side;
    private final boolean reentrant;
    private final OwnerLeases leases;

    LockCalls(Holdfast client, DistributedLock lock, Side side, boolean reentrant, OwnerLeases leases) {
        this.client = client;
        this.lock = lock;
        this.side = side;
        this.reentrant = reentrant;
        this.leases = leases;
    }

    static long me() {
        return Thread.currentThread().getId();
    }

    Owner key(long owner) {
        return new Owner(lock.name(), side, owner);
    }

    DistributedLock distributed() {
        return lock;
    }

    OwnerLeases leases() {
        return leases;
    }

    // ---- acquiring

    public void lock() {
        acquire(Optional.empty(), () -> lockWith(Optional.empty()));
    }

    public void lock(long lease, @Nullable TimeUnit unit) {
        Optional<Duration> fixed = Times.lease(lease, unit);
        acquire(fixed, () -> lockWith(fixed));
    }

    private boolean lockWith(Optional<Duration> lease) {
        lease.ifPresentOrElse(lock::lock, lock::lock);
        return true;
    }

    public void lockInterruptibly() throws InterruptedException {
        lockInterruptibly(0, null);
    }

    public void lockInterruptibly(long lease, @Nullable TimeUnit unit) throws InterruptedException {
        Optional<Duration> fixed = Times.lease(lease, unit);
        this.<InterruptedException>acquire(fixed, () -> {
            if (fixed.isPresent()) {
                return lock.tryLock(Times.FOREVER, fixed.get());
            }
            lock.lockInterruptibly();
            return true;
        });
    }

    public boolean tryLock() {
        return acquire(Optional.empty(), lock::tryLock);
    }

    public boolean tryLock(long wait, TimeUnit unit) throws InterruptedException {
        return tryLock(wait, 0, unit);
    }

    public boolean tryLock(long wait, long lease, TimeUnit unit) throws InterruptedException {
        Optional<Duration> fixed = Times.lease(lease, unit);
        Duration limit = Times.of(wait, unit);
        return this.<InterruptedException>acquire(
                fixed, () -> fixed.isPresent() ? lock.tryLock(limit, fixed.get()) : lock.tryLock(limit));
    }

    /** Adds a level to a lease of the current thread's id, or else acquires in the thread API. */
    private <E extends Exception> boolean acquire(Optional<Duration> lease, Attempt<E> attempt) throws E {
        if (reenter(me(), lease)) {
            return true;
        }
        try {
            return attempt.run();
        } catch (LeaseLostException e) {
            if (!forgetLostHold()) {
                throw e;
            }
            return attempt.run();
        }
    }

    /** Adds a level to the lease of the owner; returns {@code false} if the owner has none. */
    boolean reenter(long owner, Optional<Duration> lease) {
        if (!reentrant && leases.isHeld(key(owner))) {
            throw new IllegalStateException(
                    this + ": owner " + owner + " holds it already, and it is not reentrant; unlock it first");
        }
        return leases.reenter(key(owner), lease);
    }

    /** Adds a level to the hold that the current thread has in the thread API; returns {@code false} if it has none. */
    boolean reenterThread(Optional<Duration> lease) {
        if (!lock.isHeldByCurrentThread()) {
            return false;
        }
        try {
            return lockWith(lease);
        } catch (LeaseLostException e) {
            if (!forgetLostHold()) {
                throw e;
            }
            return false;
        }
    }

    /**
     * Ends all levels of a hold of the current thread that was lost, so that the thread can acquire the lock anew, as with
     * Redisson.
     */
    private boolean forgetLostHold() {
        boolean held = lock.isHeldByCurrentThread();
        while (lock.isHeldByCurrentThread()) {
            try {
                lock.unlock();
            } catch (LeaseLostException e) {
                // reported as an event; the next level follows
            }
        }
        return held;
    }

    // ---- releasing

    public void unlock() {
        Optional<Ended> ended = leases.end(key(me()));
        if (ended.isEmpty()) {
            lock.unlock();
        } else if (ended.get().last()) {
            ended.get().lease().close();
        } else {
            throwIfLost(ended.get());
        }
    }

    /** Throws if the hold was lost, even if the loss is not reported yet. Calls the store if the hold is in doubt. */
    static void throwIfLost(Ended ended) {
        ended.lost().ifPresent(loss -> {
            throw loss;
        });
        ended.lease().ensureValid(Duration.ZERO);
    }

    /** Releases the lock for whichever owner holds it. A half of a read/write lock must be held as that half. */
    @InBackground
    public boolean forceUnlock() {
        return (side == Side.LOCK || isLocked()) && lock.forceUnlock();
    }

    // ---- looking

    public String getName() {
        return lock.name();
    }

    @InBackground
    public boolean isLocked() {
        return holders().stream().anyMatch(this::isOfThisSide);
    }

    private boolean isOfThisSide(LockReport.Holder holder) {
        return switch (side) {
            case LOCK -> true;
            case READ -> holder.mode() == Mode.READ;
            case WRITE -> holder.mode() == Mode.WRITE;
        };
    }

    private List<LockReport.Holder> holders() {
        return client.inspect(lock.name()).holders();
    }

    @InBackground
    public long remainTimeToLive() {
        return holders().stream()
                .mapToLong(holder -> holder.remainingLease().toMillis())
                .max()
                .orElse(FREE);
    }

    public boolean isHeldByCurrentThread() {
        return isHeldHere(me());
    }

    public boolean isHeldByThread(long owner) {
        return isHeldHere(owner) || (owner != me() && isHeldByAnotherThread(owner));
    }

    /** Answers without a store call, for the current thread and for the owners of asynchronous methods. */
    boolean isHeldHere(long owner) {
        return leases.levels(key(owner)) > 0 || (owner == me() && lock.isHeldByCurrentThread());
    }

    /** Returns {@code false} if no thread of this client can hold the lock. Otherwise, the answer is not known. */
    boolean isHeldByAnotherThread(long owner) {
        boolean shared = side == Side.READ || !leases.isHeldAs(lock.name(), side);
        boolean here = shared
                && holders().stream().anyMatch(holder -> holder.client().id().equals(client.clientId()));
        if (here) {
            throw new UnsupportedOperationException(this + ": this client holds it, but Holdfast does not know threads"
                    + " by number, so isHeldByThread(" + owner + ") can be asked by that thread only");
        }
        return false;
    }

    public int getHoldCount() {
        return leases.levels(key(me())) + lock.holdCount();
    }

    @Override
    public String toString() {
        return "lock " + quoted(lock.name());
    }
}
