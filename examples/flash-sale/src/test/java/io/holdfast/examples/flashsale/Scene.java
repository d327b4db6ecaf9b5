package io.holdfast.examples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.holdfast.Holdfast;
import io.holdfast.embedded.redis.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** One sale whose sellers are held between check and write, and let go, one by one. */
final class Scene implements AutoCloseable {

    private static final long LIMIT_SECONDS = 20;

    private final RedisServer server;
    private final StrategyKind kind;
    private final RedisClient client;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Strategy> strategies = new ArrayList<>();
    final Keys keys = new Keys(UUID.randomUUID().toString());
    final Books books;
    final RedisCommands<String, String> redis;

    Scene(RedisServer server, StrategyKind kind, long stock) {
        this.server = server;
        this.kind = kind;
        client = RedisClient.create(server.uri());
        redis = client.connect().sync();
        books = Books.open(server.uri(), keys.sale(), stock, kind);
    }

    /** The strategy, as another process has it. */
    Strategy process(int number, Duration lease) {
        Strategy strategy = kind.open(job(number, lease));
        strategies.add(strategy);
        return strategy;
    }

    /** The process ends in good order. */
    void end(Strategy strategy) {
        strategies.remove(strategy);
        strategy.close();
    }

    Job job(int process, Duration lease) {
        return new Job(
                kind, server.uri(), server.uri(), keys.sale(), process, 1, Duration.ZERO, lease, Job.NEVER, Job.NEVER);
    }

    Shop shop(int process) {
        return new Shop(client, keys, new Seller(process, 0));
    }

    /** Sells one item, with nothing in between. */
    boolean sell(Strategy strategy) throws InterruptedException {
        return strategy.sell(new Sale(shop(9), journal -> {}));
    }

    Future<Boolean> sellLater(Strategy strategy) {
        return threads.submit(() -> sell(strategy));
    }

    /** A sale that has read and checked the stock when this returns, and goes on when it is told. */
    Held hold(Strategy strategy) throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Sale sale = new Sale(shop(strategies.indexOf(strategy)), journal -> {
            inside.countDown();
            go.await();
        });
        Held held = new Held(threads.submit(() -> strategy.sell(sale)), go);
        assertThat(inside.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        return held;
    }

    /** Ends all holds of the sale's locks. Their holders do not know it until they are told, or ask. */
    void takeHoldsAway() {
        String name = "flash-sale/" + keys.sale();
        try (Holdfast holdfast = Holdfast.connect(server.uri())) {
            Stream<String> shelves = IntStream.range(0, Keys.SHELVES).mapToObj(shelf -> name + "#" + shelf);
            assertThat(Stream.concat(Stream.of(name, name + "/share/0"), shelves)
                            .filter(lock -> holdfast.lock(lock).forceUnlock()))
                    .hasSize(1);
        }
    }

    record Held(Future<Boolean> end, CountDownLatch go) {

        boolean finish() throws Exception {
            go.countDown();
            return end.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        assertThatNoException().isThrownBy(() -> threads.awaitTermination(LIMIT_SECONDS, TimeUnit.SECONDS));
        strategies.forEach(Strategy::close);
        books.close();
        client.shutdown();
    }
}
