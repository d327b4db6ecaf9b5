package io.holdfast.benchmarks.subject;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** A lock with only the measured methods. */
abstract class SimpleLock implements Lock {

    @Override
    public final void lockInterruptibly() {
        throw new UnsupportedOperationException("lockInterruptibly");
    }

    @Override
    public final boolean tryLock() {
        throw new UnsupportedOperationException("tryLock");
    }

    @Override
    public final boolean tryLock(long time, TimeUnit unit) {
        throw new UnsupportedOperationException("tryLock");
    }

    @Override
    public final Condition newCondition() {
        throw new UnsupportedOperationException("newCondition");
    }
}
