package io.holdfast.internal.quorum;

import io.holdfast.internal.access.LockAccess;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * All servers of a quorum lock.
 *
 * @param budget for how long one is waited for; empty for what its lease and its client suggest
 */
record QuorumServers(String name, List<LockAccess> all, Optional<Duration> budget) {

    private static final int BUDGETS_PER_LEASE = 10;

    int majority() {
        return all.size() / 2 + 1;
    }

    Platform platform() {
        return all.get(0).platform();
    }

    /** For how long this one is waited for. */
    Duration budget(LockAccess server, Optional<Duration> own) {
        Duration tenth = own.orElse(server.lease()).dividedBy(BUDGETS_PER_LEASE);
        return budget.orElse(shorter(tenth, server.commandTimeout()));
    }

    static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** The longest budget of any. */
    Duration budget(Optional<Duration> own) {
        return longest(server -> budget(server, own));
    }

    /** The shortest lease of any. */
    Duration lease(Optional<Duration> own) {
        return own.orElseGet(() -> all.stream()
                .map(LockAccess::lease)
                .min(Comparator.naturalOrder())
                .orElseThrow());
    }

    Duration commandTimeout() {
        return longest(LockAccess::commandTimeout);
    }

    /** For how long one who waits stays through an outage. */
    Duration maxOutage() {
        return longest(LockAccess::maxOutage);
    }

    private Duration longest(Function<LockAccess, Duration> of) {
        return all.stream().map(of).max(Comparator.naturalOrder()).orElseThrow();
    }

    /** One whose client is open, if any is. */
    LockAccess open() {
        return all.stream().filter(server -> !server.isClosed()).findFirst().orElse(all.get(0));
    }

    /** Whether so many clients are closed that no majority is left. */
    boolean areClosed() {
        return all.stream().filter(server -> !server.isClosed()).count() < majority();
    }

    /** Runs a task after the delay, or earlier, since a client is closed. */
    Platform.Task later(Duration delay, Runnable task) {
        return open().later(delay, task);
    }

    /** Runs users' code on an executor of theirs; where there is none left, here. */
    void callBack(String what, Runnable code) {
        LockAccess server = open();
        if (server.isClosed()) {
            code.run();
        } else {
            server.callBack(what + " of " + this, code);
        }
    }

    /** Runs an action of a user for a loss; where all clients are closed, here. */
    void tellLoss(String what, Runnable action) {
        LockAccess server = open();
        if (server.isClosed()) {
            action.run();
        } else {
            server.tellLoss(what + " of " + this, action);
        }
    }

    /** For error texts. */
    @Override
    public String toString() {
        return "quorum lock '" + name + "' of " + all.size() + " servers";
    }
}
