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
 * The options of the demo.
 *
 * @param processes the number of worker JVMs
 * @param threads the number of sellers in each of them
 * @param stock the number of items for sale
 * @param work the time between reading the stock and writing it
 * @param store the store of the locks; the stock is there, too, if it is Redis
 * @param strategies the strategies, in the order in which they run
 * @param json the file for the figures
 * @param html the file for a report with charts
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

    /** The URI that stands for a Redis server that the demo starts itself. */
    public static final String EMBEDDED = "embedded:redis";

    /** The lease, which is short so that the stall after a death is short; see {@link #patience}. */
    static final Duration LEASE = Duration.ofSeconds(2);

    /** The time without an order after which any sale is abandoned. It is long, because a busy machine is no reason to stop. */
    static final Duration LONGEST_STALL = Duration.ofMinutes(2);

    private static final Duration MAX_WORK = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final List<String> PRIVATE = List.of("memory:", "jdbc:h2:mem:");
    private static final Pattern REDIS = Pattern.compile("rediss?:.*");

    /** Checks the values. The error texts name the options of the command line. */
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
                        + ": keeps its locks in one JVM, but the workers are separate JVMs; name a store that"
                        + " they can share");
    }

    private static void requireFit(String store, List<StrategyKind> strategies) {
        List<StrategyKind> fit = strategiesFor(store);
        for (StrategyKind strategy : strategies) {
            require(
                    fit.contains(strategy),
                    "--strategies " + strategy.label()
                            + ": needs a Redis store, because it keeps keys or tokens of its locks in Redis;"
                            + " with --store " + StoreUri.masked(store) + " only these can run: "
                            + fit.stream().map(StrategyKind::label).collect(Collectors.joining(", ")));
        }
    }

    /** Returns the strategies that can run with their locks in that store. */
    public static List<StrategyKind> strategiesFor(String store) {
        return Arrays.stream(StrategyKind.values())
                .filter(strategy -> isRedis(store) || !strategy.needsRedis())
                .toList();
    }

    private static boolean isRedis(String store) {
        return store.equals(EMBEDDED) || REDIS.matcher(store).matches();
    }

    /** Returns the URI of the stock; empty if the stock is on a server that the demo starts itself. */
    Optional<String> stockStore() {
        return Optional.of(store).filter(uri -> !uri.equals(EMBEDDED) && isRedis(uri));
    }

    /** Returns the URI of the locks: that of the stock, or that of a separate store. */
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

    /** Returns the store's URI without secrets. */
    String shownStore() {
        return StoreUri.masked(store);
    }

    /**
     * Returns the time without an order after which a sale is abandoned if its lock stays taken because a process died. It is
     * longer than a lease and than a slow sale, so that it shows that the lock never expires.
     */
    Duration patience() {
        return PATIENCE.plus(work.multipliedBy(2));
    }

    /**
     * Returns the number of orders after which one process dies. Until then nothing disturbs the sale, so that its speed can be
     * measured.
     */
    int haltAfter() {
        return stock / 2;
    }

    /** Returns the number of orders after which one seller of another process is slow. */
    int slowAfter() {
        return stock * 5 / 8;
    }
}
