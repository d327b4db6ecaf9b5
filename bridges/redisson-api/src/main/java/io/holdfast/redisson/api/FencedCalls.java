package io.holdfast.redisson.api;

import static io.holdfast.redisson.api.LockCalls.me;

import io.holdfast.Lease;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RFuture;

/** The methods that a fenced lock has in addition to those of a lock. */
final class FencedCalls {

    private final LockCalls calls;
    private final AsyncLockCalls async;

    FencedCalls(LockCalls calls, AsyncLockCalls async) {
        this.calls = calls;
        this.async = async;
    }

    /** Returns the token of the current thread's hold. */
    public Long getToken() {
        return token(me());
    }

    private Long token(long owner) {
        Optional<Lease> lease = calls.leases().lease(calls.key(owner));
        return lease.map(Lease::fencingToken)
                .orElseGet(() -> calls.distributed().fencingToken());
    }

    public Long lockAndGetToken() {
        calls.lock();
        return getToken();
    }

    public Long lockAndGetToken(long lease, @Nullable TimeUnit unit) {
        calls.lock(lease, unit);
        return getToken();
    }

    public @Nullable Long tryLockAndGetToken() {
        return calls.tryLock() ? getToken() : null;
    }

    public @Nullable Long tryLockAndGetToken(long wait, TimeUnit unit) throws InterruptedException {
        return calls.tryLock(wait, unit) ? getToken() : null;
    }

    public @Nullable Long tryLockAndGetToken(long wait, long lease, TimeUnit unit) throws InterruptedException {
        return calls.tryLock(wait, lease, unit) ? getToken() : null;
    }

    public RFuture<Long> getTokenAsync() {
        return Background.done(this::getToken);
    }

    public RFuture<@Nullable Long> lockAndGetTokenAsync() {
        return lockAndGetTokenAsync(0, null);
    }

    public RFuture<@Nullable Long> lockAndGetTokenAsync(long lease, @Nullable TimeUnit unit) {
        return acquire(Times.FOREVER, lease, unit);
    }

    public RFuture<@Nullable Long> tryLockAndGetTokenAsync() {
        return acquire(Duration.ZERO, 0, null);
    }

    public RFuture<@Nullable Long> tryLockAndGetTokenAsync(long wait, TimeUnit unit) {
        return acquire(Times.of(wait, unit), 0, unit);
    }

    public RFuture<@Nullable Long> tryLockAndGetTokenAsync(long wait, long lease, TimeUnit unit) {
        return acquire(Times.of(wait, unit), lease, unit);
    }

    private RFuture<@Nullable Long> acquire(Duration wait, long lease, @Nullable TimeUnit unit) {
        long owner = me();
        return async.acquire(wait, Times.lease(lease, unit), owner, acquired -> acquired ? token(owner) : null);
    }
}
