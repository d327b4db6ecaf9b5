package io.holdfast.testkit.faults;

/** An operation that passes between a client and its store. */
public enum Operation {
    /** {@link io.holdfast.spi.LockStore#acquire}. */
    ACQUIRE,
    /** {@link io.holdfast.spi.LockStore#renew}. */
    RENEW,
    /** {@link io.holdfast.spi.LockStore#release}. */
    RELEASE,
    /** {@link io.holdfast.spi.LockStore#forceRelease}. */
    FORCE_RELEASE,
    /** {@link io.holdfast.spi.LockStore#inspect}. */
    INSPECT,
    /** {@link io.holdfast.spi.LockStore#list}. */
    LIST,
    /** {@link io.holdfast.spi.LockStore#confirmSignals}. */
    CONFIRM_SIGNALS,
    /** {@link io.holdfast.spi.CounterStore#change}. */
    CHANGE,
    /** {@link io.holdfast.spi.CounterStore#revoke}. */
    REVOKE,
    /** {@link io.holdfast.spi.CounterStore#permits} and {@link io.holdfast.spi.CounterStore#latch}. */
    COUNT,
    /** A {@link io.holdfast.spi.Signal}, from the store to the client. */
    SIGNAL
}
