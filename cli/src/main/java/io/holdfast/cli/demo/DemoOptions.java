package io.holdfast.cli.demo;

import io.holdfast.examples.flashsale.StrategyKind;
import io.holdfast.spi.StoreUri;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What to run.
 *
 * @param processes worker JVMs
 * @param threads sellers in each
 * @param stock items for sale
 * @param work between reading the stock and writing it
 * @param store where locks are; the stock, too, if it is Redis
 * @param strategies in this order
 * @param json where to write the figures, too
 * @param html where to write a report for people, too
 */
public record DemoOptions(
        int processes,
        int threads,
        int stock,
        Duration work,
        String store,
        List<StrategyKind> strategies,
        Optional<Path> json,
        Optional<Path> html) {

    /** A Redis server of the demo's own. */
    public static final String EMBEDDED = "embedded:redis";

    /** Short, so that the stall after a death is short; see {@link #patience}. */
    static final Duration LEASE = Duration.ofSeconds(2);

    private static final Duration MAX_WORK = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final List<String> PRIVATE = List.of("memory:", "jdbc:h2:mem:");
    private static final Pattern REDIS = Pattern.compile("rediss?:.*");

    /** Checks the values; the texts speak of the command line. */
    public DemoOptions {
        strategies = List.copyOf(strategies);
        requireRange("--processes", processes, 2, 64);
        requireRange("--threads", threads, 1, 256);
        requireRange("--stock", stock, 100, 100_000);
        require(work.compareTo(MAX_WORK) <= 0, "--work: at most 10s");
        require(!strategies.isEmpty(), "--strategies: name at least one");
        require(EnumSet.copyOf(strategies).size() == strategies.size(), "--strategies: name each only once");
        requireShared(store);
        requireFit(store, strategies);
    }

    private static void requireShared(String store) {
        require(
                PRIVATE.stream().noneMatch(store::startsWith),
                "--store " + StoreUri.masked(store)
                        + ": has its locks in one JVM, but the workers are JVMs of their own; name a store that"
                        + " they can share");
    }

    private static void requireFit(String store, List<StrategyKind> strategies) {
        List<StrategyKind> fit = strategiesFor(store);
        for (StrategyKind strategy : strategies) {
            require(
                    fit.contains(strategy),
                    "--strategies " + strategy.label()
                            + ": keeps keys or tokens of its locks in Redis, so it needs a Redis"
                            + " store; with --store " + StoreUri.masked(store) + " there are "
                            + fit.stream().map(StrategyKind::label).collect(Collectors.joining(", ")));
        }
    }

    /** Those that can run with their locks in that store. */
    public static List<StrategyKind> strategiesFor(String store) {
        return Arrays.stream(StrategyKind.values())
                .filter(strategy -> isRedis(store) || !strategy.needsRedis())
                .toList();
    }

    private static boolean isRedis(String store) {
        return store.equals(EMBEDDED) || REDIS.matcher(store).matches();
    }

    /** Where the stock is, if not on a server of the demo's own. */
    Optional<String> stockStore() {
        return Optional.of(store).filter(uri -> !uri.equals(EMBEDDED) && isRedis(uri));
    }

    /** Where the locks are: beside the stock, or in a store of their own. */
    String lockStore(String stockStore) {
        return isRedis(store) ? stockStore : store;
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
        return StoreUri.masked(store);
    }

    /** How long a sale may stand still before it is given up: longer than a lease and than a slow sale, which are no end. */
    Duration patience() {
        return PATIENCE.plus(work.multipliedBy(2));
    }

    /** After how many orders one process dies; until then nothing disturbs the sale, so that its speed can be measured. */
    int haltAfter() {
        return stock / 2;
    }

    /** After how many orders one seller of another process is slow. */
    int slowAfter() {
        return stock * 5 / 8;
    }
}
