package io.holdfast.shedlock;

import io.holdfast.LeaseLostException;
import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lock of a task that ShedLock runs. ShedLock unlocks in a {@code finally} block, where an exception would replace the one
 * of the task. So a loss is logged.
 */
record TaskLock(FencedSimpleLock lock) implements FencedSimpleLock {

    private static final Logger LOG = LoggerFactory.getLogger("io.holdfast.shedlock");

    @Override
    public long fencingToken() {
        return lock.fencingToken();
    }

    @Override
    public boolean isValid() {
        return lock.isValid();
    }

    @Override
    public void unlock() {
        try {
            lock.unlock();
        } catch (LeaseLostException e) {
            LOG.warn("{}: another owner may have run the task at the same time", e.getMessage());
        }
    }

    @Override
    public Optional<SimpleLock> extend(Duration lockAtMostFor, Duration lockAtLeastFor) {
        return lock.extend(lockAtMostFor, lockAtLeastFor).map(extended -> new TaskLock((FencedSimpleLock) extended));
    }
}
