package io.holdfast.recipes;

import java.time.Duration;
import java.util.Optional;

/** The lease of a quorum hold that is not renewed. The lease of a hold that is renewed has no length. */
final class FixedLease {

    private final QuorumServers servers;
    private volatile Optional<Duration> longest = Optional.empty();
    private volatile long endNanos;

    FixedLease(QuorumServers servers) {
        this.servers = servers;
    }

    /** Begins the lease at the given {@code nanoTime}, or extends it. Its end never moves to an earlier time. */
    void extend(Duration length, long from) {
        long end = from + length.toNanos();
        endNanos = longest.isEmpty() || end - endNanos > 0 ? end : endNanos;
        longest = longest.filter(before -> before.compareTo(length) > 0).or(() -> Optional.of(length));
    }

    /** Returns the longest length for which the lease was begun or extended; empty if the hold is renewed. */
    Optional<Duration> longest() {
        return longest;
    }

    /** Returns the time until the servers end the lease; empty if the hold is renewed. */
    Optional<Duration> untilEnd() {
        return longest.map(
                length -> Duration.ofNanos(endNanos - servers.platform().nanoTime()));
    }

    /** Returns how long the hold can stay valid, at least; empty if it is renewed. */
    Optional<Duration> left() {
        return longest.flatMap(length -> untilEnd()
                .map(time -> time.minus(length.minus(servers.clients().open().validityOf(length))))
                .map(left -> left.isNegative() ? Duration.ZERO : left));
    }
}
