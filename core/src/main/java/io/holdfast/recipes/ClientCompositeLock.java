package io.holdfast.recipes;

import io.holdfast.AsyncLock;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.MemberSpec;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The acquiring methods of a composite lock. Each of them is a spec and a time to wait, which a subclass carries out. */
abstract class ClientCompositeLock<L> implements CompositeLock<L> {

    /**
     * Acquires one level for the current thread.
     *
     * @param wait the nanoseconds to wait; zero or less means not to wait, {@link Durations#NEVER} waits without a time limit
     * @return whether the level was acquired
     */
    abstract boolean enter(MemberSpec spec, long wait) throws InterruptedException;

    /** Acquires a lease. The result is empty if others hold the lock and the spec is content with that. */
    abstract Optional<L> lease(MemberSpec spec, long wait) throws InterruptedException;

    /**
     * Starts a request like {@link #lease} that does not block. If the future ends first, the request is withdrawn.
     *
     * @param result the result of the future
     */
    abstract <T> CompletableFuture<T> start(MemberSpec spec, long wait, Function<Optional<L>, T> result);

    MemberSpec lasting(MemberSpec spec, Duration lease) {
        return spec.withLease(Durations.requireLease(this + ": lease", lease));
    }

    // ---- thread API

    @Override
    public void lock() {
        lockUninterruptibly(MemberSpec.LOCKED);
    }

    @Override
    public void lock(Duration lease) {
        lockUninterruptibly(lasting(MemberSpec.LOCKED, lease));
    }

    private void lockUninterruptibly(MemberSpec spec) {
        var unused = Awaiting.uninterruptibly(() -> enter(spec, Durations.NEVER));
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        var unused = enter(MemberSpec.LOCKED.interruptibly(), Durations.NEVER);
    }

    @Override
    public boolean tryLock() {
        return Awaiting.uninterruptibly(() -> enter(MemberSpec.LOCKED, 0));
    }

    @Override
    public boolean tryLock(Duration wait) throws InterruptedException {
        return enter(MemberSpec.LOCKED.interruptibly(), Durations.nanos(wait));
    }

    @Override
    public boolean tryLock(Duration wait, Duration lease) throws InterruptedException {
        return enter(lasting(MemberSpec.LOCKED.interruptibly(), lease), Durations.nanos(wait));
    }

    // ---- lease API

    @Override
    public L acquire() throws InterruptedException {
        return lease(MemberSpec.LEASED.orTimeout().interruptibly(), Durations.NEVER)
                .orElseThrow();
    }

    @Override
    public L acquire(Duration wait) throws InterruptedException {
        return lease(MemberSpec.LEASED.orTimeout().interruptibly(), Durations.nanos(wait))
                .orElseThrow();
    }

    @Override
    public Optional<L> tryAcquire() {
        return Awaiting.uninterruptibly(() -> lease(MemberSpec.LEASED, 0));
    }

    @Override
    public Optional<L> tryAcquire(Duration wait) throws InterruptedException {
        return lease(MemberSpec.LEASED.interruptibly(), Durations.nanos(wait));
    }

    @Override
    public Optional<L> tryAcquire(Duration wait, Duration lease) throws InterruptedException {
        return lease(lasting(MemberSpec.LEASED.interruptibly(), lease), Durations.nanos(wait));
    }

    @Override
    public AsyncLock<L> async() {
        return new ClientAsyncCompositeLock<>(this);
    }
}
