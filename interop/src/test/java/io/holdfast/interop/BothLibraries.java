package io.holdfast.interop;

import io.holdfast.Holdfast;
import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.testkit.Await;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.redisson.api.RedissonClient;

/** One server, a client of each library with its whole API, and threads that call them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BothLibraries {

    static final Duration SHORT = Duration.ofMillis(300);

    /** Of a lease that ends by itself. */
    static final Duration BRIEF = Duration.ofSeconds(4);

    private static final AtomicInteger NAMES = new AtomicInteger();

    final RedisServer server = RedisServer.start();
    final Holdfast ours = Holdfast.connect(server.uri());
    final RedissonClient theirs = Kind.redisson(server.uri(), Duration.ofSeconds(30));
    private final RedisClient driver = RedisClient.create(server.uri());
    private final StatefulRedisConnection<String, String> connection = driver.connect();
    final RedisCommands<String, String> redis = connection.sync();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** A call that may fail. */
    interface Call {
        void run() throws Exception;
    }

    @AfterAll
    void close() {
        threads.shutdownNow();
        ours.close();
        theirs.shutdown();
        connection.close();
        driver.shutdown();
        server.close();
    }

    static String name() {
        return "name-" + NAMES.incrementAndGet();
    }

    /** What another thread gets. */
    <T> T elsewhere(Callable<T> call) {
        return result(threads.submit(call));
    }

    static <T> T result(Future<T> future) {
        try {
            return future.get(20, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    /** The exception that a caller gets; {@link Void} for none. */
    static Class<?> thrown(Call call) {
        try {
            call.run();
            return Void.class;
        } catch (Exception e) {
            return e.getClass();
        }
    }

    /** What a call does. */
    record Seen(Class<?> thrown, boolean interrupted) {}

    static Seen seen(Call call) {
        Class<?> thrown = thrown(call);
        return new Seen(thrown, Thread.interrupted());
    }

    /** What a thread sees that is interrupted before it calls, and whose answer is not there at once. */
    Seen interruptedBefore(Call call) {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        client("PAUSE", "20000", "WRITE");
        Future<Seen> seen = threads.submit(() -> {
            thread.complete(Thread.currentThread());
            Thread.currentThread().interrupt();
            return seen(call);
        });
        try {
            awaitRest(result(thread), seen);
        } finally {
            client("UNPAUSE");
        }
        return result(seen);
    }

    private static void awaitRest(Thread caller, Future<?> call) {
        AtomicInteger still = new AtomicInteger();
        Await.until("it waits, or has ended", () -> {
            boolean waits = !caller.isInterrupted()
                    && (caller.getState() == Thread.State.WAITING || caller.getState() == Thread.State.TIMED_WAITING);
            return call.isDone() || (waits ? still.incrementAndGet() : still.getAndSet(0)) >= 50;
        });
    }

    private void client(String... words) {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
        List.of(words).forEach(args::add);
        redis.dispatch(CommandType.CLIENT, new StatusOutput<>(StringCodec.UTF8), args);
    }

    /** What a thread sees that is interrupted while it waits; what it waits for is released after that. */
    Seen interruptedMeanwhile(Call call, Call release) throws Exception {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        Future<Seen> waiting = threads.submit(() -> {
            thread.complete(Thread.currentThread());
            return seen(call);
        });
        Thread caller = result(thread);
        SideBySide.awaitSleep(caller);
        caller.interrupt();
        // a call that does not end by the interrupt waits again
        awaitRest(caller, waiting);
        release.run();
        return result(waiting);
    }

    /** Begins a call in another thread. */
    <T> Future<T> start(Callable<T> call) {
        return threads.submit(call);
    }
}
