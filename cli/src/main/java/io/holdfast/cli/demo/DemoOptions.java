package io.holdfast.cli.demo;

import io.holdfast.examples.flashsale.StrategyKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What to run.
 *
 * @param processes worker JVMs
 * @param threads sellers in each
 * @param stock items for sale
 * @param work between reading the stock and writing it
 * @param store where locks and stock are
 * @param strategies in this order
 * @param json where to write the figures, too
 */
public record DemoOptions(
        int processes,
        int threads,
        int stock,
        Duration work,
        String store,
        List<StrategyKind> strategies,
        Optional<Path> json) {

    /** A Redis server of the demo's own. */
    public static final String EMBEDDED = "embedded:redis";

    /** Short, so that the stall after a death is short; see {@link #patience}. */
    static final Duration LEASE = Duration.ofSeconds(2);

    private static final Duration MAX_WORK = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(6);
    private static final Pattern REDIS = Pattern.compile("rediss?://.+");
    private static final Pattern SECRET = Pattern.compile("//.*@");

    /** Checks the values; the texts speak of the command line. */
    public DemoOptions {
        strategies = List.copyOf(strategies);
        requireRange("--processes", processes, 2, 64);
        requireRange("--threads", threads, 1, 256);
        requireRange("--stock", stock, 10, 100_000);
        require(work.compareTo(MAX_WORK) <= 0, "--work: at most 10s");
        require(!strategies.isEmpty(), "--strategies: name at least one");
        require(EnumSet.copyOf(strategies).size() == strategies.size(), "--strategies: name each only once");
        requireShared(store);
    }

    private static void requireShared(String store) {
        require(
                store.equals(EMBEDDED) || REDIS.matcher(store).matches(),
                "--store " + withoutSecret(store) + ": must be " + EMBEDDED
                        + " or a redis:// URI, since the workers are JVMs of their own");
    }

    private static void requireRange(String option, int value, int min, int max) {
        require(value >= min && value <= max, option + " " + value + ": must be " + min + " to " + max);
    }

    private static void require(boolean condition, String text) {
        if (!condition) {
            throw new IllegalArgumentException(text);
        }
    }

    /** The store as it may be shown. */
    String shownStore() {
        return withoutSecret(store);
    }

    private static String withoutSecret(String uri) {
        return SECRET.matcher(uri).replaceFirst("//");
    }

    /** How long a sale may stand still before it is given up: longer than a lease, so that a death does not end it. */
    Duration patience() {
        return PATIENCE.plus(work.multipliedBy(2));
    }

    /** The stock at which one process dies: early enough for each to have had its turn before the end. */
    long dieAt() {
        return stock * 2L / 3;
    }
}
