package io.holdfast.recipes;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.internal.access.LockAccess;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The servers of a quorum lock.
 *
 * @param budget the maximum time to wait for one server; empty to derive it from the lease and the client of that server
 */
record QuorumServers(String name, List<LockAccess> all, Optional<Duration> budget) {

    private static final int BUDGETS_PER_LEASE = 10;

    int majority() {
        return all.size() / 2 + 1;
    }

    Platform platform() {
        return all.get(0).access().platform();
    }

    /** Returns the maximum time to wait for this server. */
    Duration budget(LockAccess server, Optional<Duration> fixedLease) {
        Duration tenth = fixedLease.orElse(server.lease()).dividedBy(BUDGETS_PER_LEASE);
        return budget.orElse(shorter(tenth, server.commandTimeout()));
    }

    static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Returns the longest budget of all servers. */
    Duration budget(Optional<Duration> fixedLease) {
        return longest(server -> budget(server, fixedLease));
    }

    /** Returns the given lease; if it is empty, the shortest lease of all servers. */
    Duration lease(Optional<Duration> fixedLease) {
        return fixedLease.orElseGet(() -> all.stream()
                .map(LockAccess::lease)
                .min(Comparator.naturalOrder())
                .orElseThrow());
    }

    Duration commandTimeout() {
        return longest(LockAccess::commandTimeout);
    }

    /** Returns the time for which a waiter tolerates an outage. */
    Duration maxOutage() {
        return longest(server -> server.access().maxOutage());
    }

    private Duration longest(Function<LockAccess, Duration> of) {
        return all.stream().map(of).max(Comparator.naturalOrder()).orElseThrow();
    }

    MemberClients clients() {
        return new MemberClients(this, all);
    }

    /** Returns {@code true} if fewer clients than a majority are open. */
    boolean areTooManyClosed() {
        return all.stream().filter(server -> !server.isClosed()).count() < majority();
    }

    /** Returns a description for error texts. */
    @Override
    public String toString() {
        return "quorum lock " + quoted(name) + " of " + all.size() + " servers";
    }
}
