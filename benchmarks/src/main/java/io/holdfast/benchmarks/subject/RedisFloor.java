package io.holdfast.benchmarks.subject;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Lock;

/**
 * The two scripts of Holdfast's lock through bare Lettuce, on one shared connection: the lower bound that server and driver
 * set. A thread that finds the lock held waits for a message and asks again. Nothing else is done: no lease is renewed, and no
 * lost answer is handled.
 */
final class RedisFloor implements Subject {

    private static final String SCRIPTS = "/io/holdfast/redis/script/";
    private static final String FREE = "floor:free:";

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final StatefulRedisPubSubConnection<String, String> messages;
    private final RedisCommands<String, String> redis;
    private final RedisAsyncCommands<String, String> async;
    private final Map<String, Semaphore> waiting = new ConcurrentHashMap<>();
    private final String holder = "floor-" + UUID.randomUUID() + ":1";
    private final String acquire;
    private final String release;
    private final String leaseMillis;

    RedisFloor(String uri, Duration lease) {
        leaseMillis = Long.toString(lease.toMillis());
        client = RedisClient.create(uri);
        connection = client.connect();
        redis = connection.sync();
        async = connection.async();
        acquire = redis.scriptLoad(script("acquire-free", "common", "serve", "acquire"));
        release = redis.scriptLoad(script("release-alone", "common", "serve", "redisson", "release"));
        messages = client.connectPubSub();
        messages.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String message) {
                waiting.getOrDefault(channel, new Semaphore(0)).release();
            }
        });
    }

    private static String script(String... parts) {
        StringBuilder whole = new StringBuilder();
        for (String part : parts) {
            try (InputStream in = RedisFloor.class.getResourceAsStream(SCRIPTS + part + ".lua")) {
                if (in == null) {
                    throw new IllegalStateException("no script " + part + ": run this on the class path");
                }
                whole.append(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return whole.toString();
    }

    @Override
    public Lock lock(String name) {
        return new Scripts(name) {
            @Override
            public void lock() {
                if (!acquired()) {
                    throw new IllegalStateException(name + " is held, and this subject does not wait");
                }
            }

            @Override
            public void unlock() {
                if (redis.<List<Long>>evalsha(release, ScriptOutputType.MULTI, keys, releaseArgs())
                                .get(0)
                        != 1) {
                    throw new IllegalStateException(name + " was not held");
                }
            }
        };
    }

    @Override
    public Lock waking(String name) {
        String channel = FREE + name;
        Semaphore free = waiting.computeIfAbsent(channel, c -> new Semaphore(0));
        messages.sync().subscribe(channel);
        return new Scripts(name) {
            @Override
            public void lock() {
                while (!acquired()) {
                    free.acquireUninterruptibly();
                }
            }

            @Override
            public void unlock() {
                var released = async.evalsha(release, ScriptOutputType.MULTI, keys, releaseArgs());
                var published = async.publish(channel, "");
                released.toCompletableFuture().join();
                published.toCompletableFuture().join();
            }
        };
    }

    /** Sends the scripts of all names at once, and then waits for the answers. */
    @Override
    public Lock multi(List<String> names) {
        List<String[]> keys = names.stream().map(RedisFloor::keys).toList();
        return new SimpleLock() {
            @Override
            public void lock() {
                runAll(acquire, acquireArgs());
            }

            @Override
            public void unlock() {
                runAll(release, releaseArgs());
            }

            private void runAll(String script, String[] args) {
                List<RedisFuture<List<Long>>> answers = keys.stream()
                        .map(each -> async.<List<Long>>evalsha(script, ScriptOutputType.MULTI, each, args))
                        .toList();
                for (RedisFuture<List<Long>> answer : answers) {
                    if (answer.toCompletableFuture().join().get(0) != 1) {
                        throw new IllegalStateException("a lock of " + names + " is held, or was not held");
                    }
                }
            }
        };
    }

    private abstract class Scripts extends SimpleLock {

        final String[] keys;

        Scripts(String name) {
            keys = keys(name);
        }

        final boolean acquired() {
            return redis.<List<Long>>evalsha(acquire, ScriptOutputType.MULTI, keys, acquireArgs())
                            .get(0)
                    == 1;
        }
    }

    @Override
    public AsyncPair async(String name) {
        String[] keys = keys(name);
        return () -> async.evalsha(acquire, ScriptOutputType.MULTI, keys, acquireArgs())
                .thenCompose(granted -> async.evalsha(release, ScriptOutputType.MULTI, keys, releaseArgs()));
    }

    private String[] acquireArgs() {
        return new String[] {holder, leaseMillis, "1", "9e15", "0", "0", "hf:in:"};
    }

    private String[] releaseArgs() {
        return new String[] {holder, "0", "hf:in:"};
    }

    private static String[] keys(String name) {
        return new String[] {name, "hf:{}:t:", of(name, "q"), of(name, "a"), of(name, "tf"), of(name, "s")};
    }

    private static String of(String name, String use) {
        return "hf:{" + name + "}:" + use + ":" + name;
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
