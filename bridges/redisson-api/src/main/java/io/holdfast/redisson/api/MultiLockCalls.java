package io.holdfast.redisson.api;

import io.holdfast.DistributedLock;
import io.holdfast.recipes.MultiLock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RLock;

/** The blocking methods of a multi-lock. */
final class MultiLockCalls {

    private final MultiLock lock;

    private MultiLockCalls(MultiLock lock) {
        this.lock = lock;
    }

    static MultiLockCalls of(RLock... members) {
        List<DistributedLock> locks =
                Arrays.stream(members).map(MultiLockCalls::member).toList();
        return new MultiLockCalls(MultiLock.of(locks));
    }

    private static DistributedLock member(RLock member) {
        return Dispatcher.target(LockCalls.class, member)
                .orElseThrow(() -> new IllegalArgumentException("member " + member + " of the multi-lock is not a lock"
                        + " of RedissonLocks; pass locks of getLock, getFairLock and the like"))
                .distributed();
    }

    public void lock() {
        lock.lock();
    }

    public void lock(long lease, @Nullable TimeUnit unit) {
        Times.lease(lease, unit).ifPresentOrElse(lock::lock, lock::lock);
    }

    public void lockInterruptibly() throws InterruptedException {
        lock.lockInterruptibly();
    }

    public void lockInterruptibly(long lease, @Nullable TimeUnit unit) throws InterruptedException {
        Optional<Duration> fixed = Times.lease(lease, unit);
        if (fixed.isEmpty()) {
            lock.lockInterruptibly();
        } else if (!lock.tryLock(Times.FOREVER, fixed.get())) {
            throw new IllegalStateException(this + " was not acquired within " + Times.FOREVER);
        }
    }

    public boolean tryLock() {
        return lock.tryLock();
    }

    public boolean tryLock(long wait, TimeUnit unit) throws InterruptedException {
        return lock.tryLock(Times.of(wait, unit));
    }

    public boolean tryLock(long wait, long lease, TimeUnit unit) throws InterruptedException {
        Optional<Duration> fixed = Times.lease(lease, unit);
        Duration limit = Times.of(wait, unit);
        return fixed.isPresent() ? lock.tryLock(limit, fixed.get()) : lock.tryLock(limit);
    }

    public void unlock() {
        lock.unlock();
    }

    @Override
    public String toString() {
        return "multi-lock of "
                + lock.members().stream().map(DistributedLock::name).toList();
    }
}
