package io.holdfast.shedlock;

import io.holdfast.LeaseLostException;
import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.SimpleLock;

/** A lock of ShedLock that has a fencing token. Any thread may use it. */
public interface FencedSimpleLock extends SimpleLock {

    /**
     * Returns the fencing token, which is greater than every token that was issued for this lock before. It can also be read
     * after the end of the hold. An extension keeps the token.
     */
    long fencingToken();

    /**
     * Returns {@code true} if the lock is held and its {@code lockAtMostFor} has not passed. Makes no store call.
     *
     * <p>The end is counted from the moment at which the request was sent, less a safety margin of 1 % plus 2 ms.
     */
    boolean isValid();

    /**
     * Releases the lock. If its {@code lockAtLeastFor} has not passed, the name stays locked until it has.
     *
     * <p>The method calls the store, and waits for each answer for at most the command timeout. It is not interruptible. If the
     * store does not answer, it logs a warning, and the release continues in the background. The name is then free when its
     * {@code lockAtLeastFor} has passed and the store answers again, or, if the process ends first, after
     * {@code lockAtMostFor}.
     *
     * @throws LeaseLostException if the hold was lost before, for example because {@code lockAtMostFor} has passed. Another
     *     owner may have held the lock during the work
     * @throws IllegalStateException if the lock was unlocked or extended before; or if the client was closed, which released
     *     the hold
     */
    @Override
    void unlock();

    /**
     * Moves the end of the hold, and returns the lock with which to continue. This object can no longer be used to unlock.
     *
     * <p>The hold ends after {@code lockAtMostFor} from now, but never earlier than before. The new {@code lockAtLeastFor}
     * replaces the old one, and also counts from now. The method calls the store, and waits for its answer for at most the
     * command timeout.
     *
     * @param lockAtMostFor the time from now, 100 ms to 365 days
     * @param lockAtLeastFor the time from now, at most {@code lockAtMostFor}
     * @return the extended lock, which is a {@code FencedSimpleLock}; empty if the hold was lost
     * @throws IllegalArgumentException if a time is out of range
     * @throws IllegalStateException if the lock was unlocked or extended before
     * @throws io.holdfast.StoreUnavailableException if the store did not confirm, so that the outcome is unknown; this object
     *     can still be used
     */
    @Override
    Optional<SimpleLock> extend(Duration lockAtMostFor, Duration lockAtLeastFor);
}
