package io.holdfast.redisson.api;

import static io.holdfast.redisson.api.LockCalls.me;

import io.holdfast.DistributedSemaphore;
import io.holdfast.Permit;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RFuture;
import org.redisson.misc.CompletableFutureWrapper;

/** The methods of a semaphore whose permits have no ids. */
final class SemaphoreCalls extends PermitCounts {

    private final HeldPermits held;

    SemaphoreCalls(DistributedSemaphore semaphore, HeldPermits held) {
        super(semaphore);
        this.held = held;
    }

    // ---- acquiring

    public void acquire() throws InterruptedException {
        acquire(1);
    }

    public void acquire(int permits) throws InterruptedException {
        held.add(semaphore.acquire(permits), me());
    }

    public boolean tryAcquire() {
        return tryAcquire(1);
    }

    public boolean tryAcquire(int permits) {
        return keep(semaphore.tryAcquire(permits), me());
    }

    public boolean tryAcquire(Duration wait) throws InterruptedException {
        return tryAcquire(1, wait);
    }

    public boolean tryAcquire(long wait, TimeUnit unit) throws InterruptedException {
        return tryAcquire(1, wait, unit);
    }

    public boolean tryAcquire(int permits, long wait, TimeUnit unit) throws InterruptedException {
        return tryAcquire(permits, Times.of(wait, unit));
    }

    public boolean tryAcquire(int permits, Duration wait) throws InterruptedException {
        return keep(semaphore.tryAcquire(permits, wait), me());
    }

    private boolean keep(Optional<Permit> permit, long thread) {
        permit.ifPresent(granted -> held.add(granted, thread));
        return permit.isPresent();
    }

    public RFuture<@Nullable Void> acquireAsync() {
        return acquireAsync(1);
    }

    public RFuture<@Nullable Void> acquireAsync(int permits) {
        long thread = me();
        return Background.granted(
                semaphore.async().tryAcquire(permits, Times.FOREVER),
                permit -> {
                    keep(permit, thread);
                    return null;
                },
                held::undo);
    }

    public RFuture<Boolean> tryAcquireAsync() {
        return tryAcquireAsync(1);
    }

    public RFuture<Boolean> tryAcquireAsync(int permits) {
        return tryAcquireAsync(permits, Duration.ZERO);
    }

    public RFuture<Boolean> tryAcquireAsync(Duration wait) {
        return tryAcquireAsync(1, wait);
    }

    public RFuture<Boolean> tryAcquireAsync(long wait, TimeUnit unit) {
        return tryAcquireAsync(1, wait, unit);
    }

    public RFuture<Boolean> tryAcquireAsync(int permits, long wait, TimeUnit unit) {
        return tryAcquireAsync(permits, Times.of(wait, unit));
    }

    public RFuture<Boolean> tryAcquireAsync(int permits, Duration wait) {
        long thread = me();
        return Background.granted(
                semaphore.async().tryAcquire(permits, wait), permit -> keep(permit, thread), held::undo);
    }

    /** Acquires all free permits. They are released together. */
    public int drainPermits() {
        Optional<Permit> permit = semaphore.drain();
        keep(permit, me());
        return permit.map(Permit::count).orElse(0);
    }

    public RFuture<Integer> drainPermitsAsync() {
        long thread = me();
        return Background.granted(
                semaphore.async().drain(),
                permit -> keep(permit, thread) ? permit.orElseThrow().count() : 0,
                held::undo);
    }

    // ---- releasing

    public void release() {
        release(1);
    }

    /** Releases each permit even if another release throws. */
    public void release(int permits) {
        Failures failures = new Failures();
        held.take(getName(), requirePositive(permits), me()).forEach(permit -> failures.collect(permit::close));
        failures.throwFirst();
    }

    public boolean releaseIfExists(int permits) {
        boolean exists = isExists();
        if (exists) {
            release(permits);
        }
        return exists;
    }

    public RFuture<@Nullable Void> releaseAsync() {
        return releaseAsync(1);
    }

    public RFuture<@Nullable Void> releaseAsync(int permits) {
        List<CompletableFuture<Void>> closing = held.take(getName(), requirePositive(permits), me()).stream()
                .map(Permit::closeAsync)
                .toList();
        return new CompletableFutureWrapper<>(CompletableFuture.allOf(closing.toArray(CompletableFuture[]::new)));
    }

    private int requirePositive(int permits) {
        if (permits < 1) {
            throw new IllegalArgumentException(this + ": the number of permits is " + permits + ", less than 1");
        }
        return permits;
    }
}
