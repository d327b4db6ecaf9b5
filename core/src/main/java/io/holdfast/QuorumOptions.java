package io.holdfast;

import io.holdfast.internal.access.Durations;
import java.time.Duration;
import java.util.Optional;

/**
 * What one quorum lock does differently from the defaults of its clients.
 *
 * @param lock of its lock at each server: the lease, and whether a thread may enter again. It has no {@code maxHold}
 *     and no linger, and there is one way to wait, which is to ask again
 * @param budget for how long each server is waited for; empty for a tenth of the lease, or the command timeout if that is
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
            throw new IllegalArgumentException("maxHold " + value + " is not for a quorum lock, whose servers are held"
                    + " since different times: leave it out, and bound the work by the remaining time of a lease");
        });
        if (!lock.linger().isZero()) {
            throw new IllegalArgumentException(
                    "linger " + lock.linger() + " is not for a quorum lock, as what is kept at"
                            + " some servers has tokens that may be lower than those of others since: leave it out");
        }
    }

    /** Nothing different. */
    public static QuorumOptions defaults() {
        return DEFAULTS;
    }

    /** The same, with these options for its lock at each server. */
    public QuorumOptions withLock(LockOptions value) {
        return new QuorumOptions(value, budget);
    }

    /** The same, waiting so long for each server; less than the lease, better far less. */
    public QuorumOptions withBudget(Duration value) {
        return new QuorumOptions(lock, Optional.of(value));
    }
}
