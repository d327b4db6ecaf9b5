package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Safety;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.testkit.contract.RealTimeHarness;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Real servers for the rules of all stores. Each harness has a key prefix of its own. */
final class RedisHarness extends RealTimeHarness {

    private static final Duration LIMIT = Duration.ofSeconds(5);

    private static final int CONCURRENT_TLS_RULES = 4;
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final String prefix = "rule" + (10_000 + NUMBERS.incrementAndGet()) + ":";
    private final Set<String> rules = ConcurrentHashMap.newKeySet();
    private final RedisStoreProvider provider = new RedisStoreProvider();
    private final String uri;
    private final List<RedisCommands<String, String>> servers;
    private final Safety safety;

    RedisHarness(String uri, RedisCommands<String, String> redis, Safety safety) {
        this(uri, List.of(redis), safety);
    }

    /** @param servers where the locks are kept */
    RedisHarness(String uri, List<RedisCommands<String, String>> servers, Safety safety) {
        this.uri = uri;
        this.servers = servers;
        this.safety = safety;
    }

    /** Fewer with TLS, because its handshakes keep the processors busy. */
    @Override
    public int concurrentRules() {
        return uri.startsWith("rediss") ? CONCURRENT_TLS_RULES : super.concurrentRules();
    }

    @Override
    public String uri() {
        return uri;
    }

    @Override
    public LockStore open(StoreConfig given) {
        rules.add(given.client().id().replaceFirst(".*-", ""));
        StoreConfig config = given.withKeyPrefix(prefix + given.keyPrefix());
        if (safety.equals(Safety.async())) {
            return provider.open(config);
        }
        // replies tell no run to a client that wants replicas, so messages must not do so either
        Consumer<Signal> signals = signal ->
                config.signals().accept(signal instanceof Signal.Assigned assigned ? withoutRun(assigned) : signal);
        return provider.open(config.withSafety(safety).withClient(config.client(), signals, config.describer()));
    }

    private static Signal.Assigned withoutRun(Signal.Assigned told) {
        return new Signal.Assigned(
                told.name(),
                told.tenure(),
                told.mode(),
                told.tokens(),
                told.foreignWaiters(),
                told.next(),
                told.expiresMicros(),
                0);
    }

    /** In the slot of the other, where there are slots. */
    @Override
    public String beside(String name, String suffix) {
        return servers.size() == 1 ? name + suffix : "{" + name + "}" + suffix;
    }

    @Override
    public void wipe() {
        servers.forEach(redis -> keys(redis).forEach(redis::del));
    }

    /** Counters of tokens may stay, how many permits a semaphore has, and what a lease still keeps that a rule did not give back. */
    @Override
    public void close() {
        passUntil(() -> left().isEmpty(), LIMIT);
        assertThat(left()).as("keys without an end, or of closed clients").isEmpty();
    }

    private List<String> left() {
        return servers.stream().flatMap(this::left).toList();
    }

    /** Looks for keys without the prefix, too. The names and clients of a rule end in the same id. */
    private Stream<String> left(RedisCommands<String, String> redis) {
        return Servers.keys(redis, "*").stream()
                .filter(key -> key.contains(prefix) || rules.stream().anyMatch(key::contains))
                .filter(key -> key.startsWith("hf:client:")
                        || (redis.pttl(key) == -1 && !key.contains("}:pl:") && !key.contains("}:t:")));
    }

    private List<String> keys(RedisCommands<String, String> redis) {
        return Servers.keys(redis, "*" + prefix + "*");
    }
}
