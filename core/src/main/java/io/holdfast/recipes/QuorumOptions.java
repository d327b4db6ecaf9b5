package io.holdfast.recipes;

import io.holdfast.LockOptions;
import io.holdfast.internal.access.Durations;
import java.time.Duration;
import java.util.Optional;

/**
 * Options of one quorum lock that differ from the defaults of its clients.
 *
 * @param lock the options of its lock at each server: the lease, and whether a thread may enter the lock again. A
 *     {@code maxHold} or a linger is refused. The way to wait has no effect, because a quorum lock always asks again
 * @param budget the timeout of each request to one server; empty for a tenth of the lease, or the command timeout if that is
 *     shorter
 */
public record QuorumOptions(LockOptions lock, Optional<Duration> budget) {

    private static final QuorumOptions DEFAULTS = new QuorumOptions(LockOptions.defaults(), Optional.empty());

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the budget is not positive, or if there is a {@code maxHold} or a linger
     */
    public QuorumOptions {
        budget.ifPresent(value -> Durations.requirePositive("budget", value));
        lock.maxHold().ifPresent(value -> {
            throw new IllegalArgumentException(
                    "maxHold " + value + " is not supported by a quorum lock, which is held"
                            + " at its servers since different times: remove it, and bound the work by the remaining time of a lease");
        });
        if (!lock.linger().isZero()) {
            throw new IllegalArgumentException(
                    "linger " + lock.linger() + " is not supported by a quorum lock, because a lock that"
                            + " lingers at some servers has tokens that may be lower than those of later owners: remove it");
        }
    }

    /** Returns options without any difference from the defaults of the clients. */
    public static QuorumOptions defaults() {
        return DEFAULTS;
    }

    /** Returns a copy of these options with the given options for the lock at each server. */
    public QuorumOptions withLock(LockOptions value) {
        return new QuorumOptions(value, budget);
    }

    /**
     * Returns a copy of these options with the given timeout of each request to one server. It must be less than the lease, and
     * should be much less.
     */
    public QuorumOptions withBudget(Duration value) {
        return new QuorumOptions(lock, Optional.of(value));
    }
}
