package io.holdfast.shedlock;

import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/** A lock as ShedLock uses it: it ends with its unlock or its extension, whichever is first. */
final class HeldLock extends AbstractSimpleLock implements FencedSimpleLock {

    private final Held held;
    private final long since = System.nanoTime();

    HeldLock(LockConfiguration configuration, Held held) {
        super(configuration);
        this.held = held;
    }

    @Override
    public long fencingToken() {
        return held.fencingToken();
    }

    @Override
    public boolean isValid() {
        return held.isValid();
    }

    @Override
    protected void doUnlock() {
        Duration passed = Duration.ofNanos(System.nanoTime() - since);
        held.release(lockConfiguration.getLockAtLeastFor().minus(passed));
    }

    @Override
    protected Optional<SimpleLock> doExtend(LockConfiguration extended) {
        return held.extend(HoldfastLockProvider.requireLease(extended))
                ? Optional.of(new HeldLock(extended, held))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return held.toString();
    }
}
