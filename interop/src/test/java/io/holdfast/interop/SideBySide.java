package io.holdfast.interop;

import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.testkit.Await;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;

/** One server, and a client of each kind. What a test does is done by its own thread and by those it starts. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SideBySide {

    static final Duration LEASE = Duration.ofSeconds(30);

    /** A waiter that is told waits less. One that is not told waits for most of the poll interval, or of the lease. */
    static final Duration SOON = Duration.ofSeconds(10);

    private static final Duration POLL = Duration.ofSeconds(20);

    private static final AtomicInteger NAMES = new AtomicInteger();

    final RedisServer server = RedisServer.start();
    private final RedisClient driver = RedisClient.create(server.uri());
    private final StatefulRedisConnection<String, String> connection = driver.connect();
    final RedisCommands<String, String> redis = connection.sync();
    private final Map<Kind, Kind.Client> clients = new EnumMap<>(Kind.class);
    private final Kind.Client patient = Kind.holdfast(server.uri(), LEASE, POLL);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    SideBySide() {
        for (Kind kind : Kind.values()) {
            clients.put(kind, kind.connect(server.uri(), LEASE));
        }
    }

    /** Nothing is left but the counters of tokens. */
    @AfterEach
    void nothingIsLeft() {
        Await.until("the locks are gone", () -> redis.keys("*").stream().allMatch(SideBySide::mayStay));
    }

    private static boolean mayStay(String key) {
        return key.contains("}:t:") || key.startsWith("hf:client:") || key.startsWith("redisson_unlock_latch:");
    }

    @AfterAll
    void close() {
        Await.until(
                "nobody listens when nobody waits",
                () -> redis.pubsubChannels("redisson_*").isEmpty());
        threads.shutdownNow();
        clients.values().forEach(Kind.Client::close);
        patient.close();
        connection.close();
        driver.shutdown();
        server.close();
    }

    static String name() {
        return "lock-" + NAMES.incrementAndGet();
    }

    Kind.Client client(Kind kind) {
        return clients.get(kind);
    }

    /** A client whose waiters have to be told. */
    Kind.Client told(Kind kind) {
        return kind == Kind.HOLDFAST ? patient : client(kind);
    }

    Lock lock(Kind kind, String name) {
        return client(kind).lock(name);
    }

    Lock reader(Kind kind, String name) {
        return client(kind).readWriteLock(name).readLock();
    }

    Lock writer(Kind kind, String name) {
        return client(kind).readWriteLock(name).writeLock();
    }

    /** The channels of Redisson's for that lock that somebody listens on. */
    List<String> channels(String name) {
        return redis.pubsubChannels("redisson_*").stream()
                .filter(channel -> channel.endsWith(':' + name) || channel.endsWith(":{" + name + '}'))
                .toList();
    }

    long listeners(String channel) {
        return redis.pubsubNumsub(channel).get(channel);
    }

    // ---- what other threads do

    CompletableFuture<Void> start(Runnable work) {
        return CompletableFuture.runAsync(work, threads);
    }

    <T> T elsewhere(Supplier<T> work) {
        return Await.reply(CompletableFuture.supplyAsync(work, threads));
    }

    /** Whether another thread could have it at once; it gives it back. */
    boolean isFree(Lock lock) {
        return elsewhere(() -> {
            boolean got = lock.tryLock();
            if (got) {
                lock.unlock();
            }
            return got;
        });
    }

    /** Waits until a thread that acquires a lock sleeps until it has it. */
    static void awaitSleep(Thread waiter) {
        AtomicInteger still = new AtomicInteger();
        Await.until("it waits", () -> {
            boolean parked = List.of(waiter.getStackTrace()).stream()
                    .anyMatch(frame -> frame.getClassName().equals("java.util.concurrent.Semaphore")
                            || frame.getClassName().equals("io.holdfast.internal.lock.Acquisition"));
            return (parked ? still.incrementAndGet() : still.getAndSet(0)) >= 20;
        });
    }

    /** A thread that waits for a lock, has it, and gives it back when told. */
    final class Waiter {

        private final CompletableFuture<Thread> thread = new CompletableFuture<>();
        private final CompletableFuture<Long> got = new CompletableFuture<>();
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private final CompletableFuture<Void> end;

        Waiter(Lock lock) {
            end = start(() -> {
                thread.complete(Thread.currentThread());
                lock.lock();
                got.complete(System.nanoTime());
                done.join();
                lock.unlock();
            });
        }

        /** Waits until it is asleep, having asked: the driver's own waits are for replies, and shorter than that. */
        Waiter asleep() {
            awaitSleep(Await.reply(thread));
            return this;
        }

        boolean hasIt() {
            return got.isDone();
        }

        /** When it got it; waits for that. */
        long gotAt() {
            return Await.reply(got);
        }

        void release() {
            gotAt();
            done.complete(null);
            Await.reply(end);
        }
    }
}
