package io.holdfast.cli.exec;

import io.holdfast.spi.StoreUri;
import java.time.Duration;
import java.util.List;

/**
 * The options of an execution: the command, and the lock under which it runs.
 *
 * @param lock the name of the lock
 * @param store the URI of the store, which has to be one that other processes share
 * @param patience the maximum time to wait for the lock; zero to try once
 * @param lease the time for which the store keeps the lock without a renewal
 * @param grace the time between TERM and KILL when renewals fail
 * @param command the command with its arguments
 */
public record ExecOptions(
        String lock, String store, Duration patience, Duration lease, Duration grace, List<String> command) {

    private static final Duration LONGEST_LEASE = Duration.ofDays(365);

    /** Checks the values. The text of the {@link IllegalArgumentException} names the option. */
    public ExecOptions {
        require(
                !store.matches("(?is)(memory|embedded|jdbc:h2:mem):.*"),
                "--store " + StoreUri.masked(store)
                        + ": excludes nobody, because no other process sees its locks; use redis://host or jdbc:h2:FILE");
        require(
                lease.compareTo(Plan.SHORTEST_LEASE) >= 0 && lease.compareTo(LONGEST_LEASE) <= 0,
                "--lease " + lease.toMillis() + "ms: must be " + Plan.SHORTEST_LEASE.toSeconds()
                        + "s to 365 days; with a shorter one a busy host cannot end the command before the lock ends");
        require(
                !grace.isZero() && grace.compareTo(lease) < 0,
                "--grace " + grace.toMillis() + "ms: must be above zero and less than the lease, " + lease.toMillis()
                        + "ms");
        command = List.copyOf(command);
    }

    private static void require(boolean good, String otherwise) {
        if (!good) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
