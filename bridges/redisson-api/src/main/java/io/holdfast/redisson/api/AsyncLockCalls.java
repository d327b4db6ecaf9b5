package io.holdfast.redisson.api;

import static io.holdfast.redisson.api.LockCalls.me;

import io.holdfast.AsyncLock;
import io.holdfast.Lease;
import io.holdfast.redisson.api.OwnerLeases.Ended;
import io.holdfast.redisson.api.OwnerLeases.Owner;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RFuture;
import org.redisson.misc.CompletableFutureWrapper;

/** The asynchronous methods of a lock. Their owner is a number, by default the id of the calling thread. */
final class AsyncLockCalls {

    private final LockCalls calls;
    private final OwnerLeases leases;
    private final Background background;

    AsyncLockCalls(LockCalls calls, OwnerLeases leases, Background background) {
        this.calls = calls;
        this.leases = leases;
        this.background = background;
    }

    // ---- acquiring

    public RFuture<@Nullable Void> lockAsync() {
        return lockAsync(me());
    }

    public RFuture<@Nullable Void> lockAsync(long owner) {
        return lockAsync(0, null, owner);
    }

    public RFuture<@Nullable Void> lockAsync(long lease, @Nullable TimeUnit unit) {
        return lockAsync(lease, unit, me());
    }

    public RFuture<@Nullable Void> lockAsync(long lease, @Nullable TimeUnit unit, long owner) {
        return acquire(Times.FOREVER, Times.lease(lease, unit), owner, acquired -> null);
    }

    public RFuture<Boolean> tryLockAsync() {
        return tryLockAsync(me());
    }

    public RFuture<Boolean> tryLockAsync(long owner) {
        return tryLockAsync(0, 0, TimeUnit.MILLISECONDS, owner);
    }

    public RFuture<Boolean> tryLockAsync(long wait, TimeUnit unit) {
        return tryLockAsync(wait, 0, unit);
    }

    public RFuture<Boolean> tryLockAsync(long wait, long lease, TimeUnit unit) {
        return tryLockAsync(wait, lease, unit, me());
    }

    public RFuture<Boolean> tryLockAsync(long wait, long lease, TimeUnit unit, long owner) {
        return acquire(Times.of(wait, unit), Times.lease(lease, unit), owner, acquired -> acquired);
    }

    /** Adds a level to a hold of the owner, or else requests a lease for it. */
    <T extends @Nullable Object> RFuture<T> acquire(
            Duration wait, Optional<Duration> lease, long owner, Function<Boolean, T> result) {
        try {
            if ((owner == me() && calls.reenterThread(lease)) || calls.reenter(owner, lease)) {
                return Background.done(() -> result.apply(true));
            }
            return request(calls.key(owner), wait, lease, result);
        } catch (RuntimeException e) {
            return new CompletableFutureWrapper<>(e);
        }
    }

    private <T extends @Nullable Object> RFuture<T> request(
            Owner key, Duration wait, Optional<Duration> lease, Function<Boolean, T> result) {
        AsyncLock<Lease> lock = calls.distributed().async();
        CompletableFuture<Optional<Lease>> request = lease.isPresent()
                ? lock.tryAcquire(wait, lease.get())
                : wait.isZero() ? lock.tryAcquire() : lock.tryAcquire(wait);
        return Background.granted(
                request,
                grant -> {
                    grant.ifPresent(granted -> leases.add(key, granted, lease.isPresent()));
                    return result.apply(grant.isPresent());
                },
                granted -> leases.undo(key, granted));
    }

    // ---- releasing

    public RFuture<@Nullable Void> unlockAsync() {
        return unlockAsync(me());
    }

    public RFuture<@Nullable Void> unlockAsync(long owner) {
        Optional<Ended> ended = leases.end(calls.key(owner));
        if (ended.isPresent()) {
            return close(ended.get());
        }
        return Background.done(() -> {
            unlockThread(owner);
            return null;
        });
    }

    private static RFuture<@Nullable Void> close(Ended ended) {
        if (ended.last()) {
            return new CompletableFutureWrapper<>(ended.lease().closeAsync());
        }
        return Background.done(() -> {
            LockCalls.throwIfLost(ended);
            return null;
        });
    }

    private void unlockThread(long owner) {
        if (owner != me()) {
            throw new IllegalMonitorStateException(calls + ": owner " + owner + " has acquired it by no asynchronous"
                    + " method, or has released it; a hold of lock() or tryLock() is released by its own thread");
        }
        calls.distributed().unlock();
    }

    // ---- looking

    public RFuture<Integer> getHoldCountAsync() {
        return Background.done(calls::getHoldCount);
    }

    public RFuture<Boolean> isHeldByThreadAsync(long owner) {
        return owner == me() || calls.isHeldHere(owner)
                ? Background.done(() -> calls.isHeldHere(owner))
                : background.call(() -> calls.isHeldByAnotherThread(owner));
    }
}
