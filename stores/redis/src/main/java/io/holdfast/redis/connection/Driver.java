package io.holdfast.redis.connection;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.support.NothingListens;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.netty.util.HashedWheelTimer;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The parts that all connections of a client share: the driver, its threads, and a timer.
 *
 * <p>Invariant: every stage of {@code schedule} completes. A thread registers a stage before it reads the flag for the close. So
 * either the close fails the stage, or the thread sees the flag and fails the stage itself (close race).
 */
public final class Driver {

    /** How much longer than the connect timeout a connect may take in a process that shares the processors with many others. */
    private static final int COLD_START = 4;

    private static final long CLOSE_NANOS = 2_000_000_000;
    private static final int CLOSE_SECONDS = 2;
    private static final int LOOKUPS = 8;
    private static final long PAUSE_NANOS = 50_000_000;

    private final String name;
    private final Platform platform;
    private final Duration connectTimeout;
    private final UriOptions options;
    private final ClientResources resources;
    private final boolean ownsResources;
    private final Platform.Worker lookups;
    private final AtomicLong runs = new AtomicLong();
    private final Map<Long, CompletableFuture<?>> pending = new ConcurrentHashMap<>();
    private final AtomicLong tickets = new AtomicLong();
    private volatile boolean closed;
    private volatile boolean warm;
    public final Platform.Timer timer;
    public final RedisClient client;

    /**
     * Creates a driver.
     *
     * @param shared the client whose threads and settings are used; empty if the driver has its own
     */
    public Driver(StoreConfig config, RedisAddress server, Optional<AbstractRedisClient> shared) {
        name = "holdfast-" + config.client().name().orElse(config.client().id());
        platform = config.platform();
        connectTimeout = config.connectTimeout();
        options = server.options();
        timer = config.platform().timer(name + "-redis-timer");
        ownsResources = shared.isEmpty();
        lookups = config.platform().worker(name + "-redis-names", LOOKUPS);
        resources = shared.map(AbstractRedisClient::getResources)
                .orElseGet(() -> threads(
                        name + "-redis",
                        new HostNames(
                                config.platform(),
                                timer,
                                lookups,
                                lookupLimit(config),
                                host -> List.of(InetAddress.getAllByName(host)))));
        client = RedisClient.create(resources);
        ClientOptions.Builder settings = shared.map(other -> other.getOptions().mutate())
                .orElseGet(ClientOptions::builder)
                .autoReconnect(false)
                .protocolVersion(ProtocolVersion.RESP3)
                .useHashIndexQueue(false);
        settings.socketOptions(settings.build()
                .getSocketOptions()
                .mutate()
                .connectTimeout(Duration.ofMillis(Math.max(1, Math.min(Integer.MAX_VALUE, connectTimeout.toMillis()))))
                .build());
        boolean tls = server.uri().isSsl() && (ownsResources || options.namesFiles());
        client.setOptions((tls ? settings.sslOptions(options.tls()) : settings).build());
    }

    /**
     * Returns why a connect would fail; empty if it can be tried. The driver reads the files with certificates at each connect, and
     * would report one that is half written as a failure of the other side.
     */
    public Optional<IOException> obstacle() {
        return closed
                ? Optional.of(new IOException("it is closed"))
                : options.wrongFile().map(IOException::new);
    }

    /** Returns the time limit of an attempt to connect. Until one has succeeded, a process may have to load the classes for it. */
    public Duration longestConnect() {
        return warm ? connectTimeout : connectTimeout.multipliedBy(COLD_START);
    }

    /** Reports that a connection was opened. */
    public void opened() {
        warm = true;
    }

    /** An attempt to connect may need several lookups. */
    private static Duration lookupLimit(StoreConfig config) {
        Duration share = config.connectTimeout().dividedBy(5);
        return config.commandTimeout().compareTo(share) < 0 ? config.commandTimeout() : share;
    }

    private static ClientResources threads(String name, HostNames names) {
        ThreadFactory threads = new DefaultThreadFactory(name, true);
        return ClientResources.builder()
                .ioThreadPoolSize(2)
                .threadFactoryProvider(pool -> threads)
                .timer(new HashedWheelTimer(threads))
                .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                .addressResolverGroup(names)
                .build();
    }

    /** Sets the options that all connections share on the address, and returns it. */
    public RedisURI prepared(RedisURI address) {
        address.setClientName(name.replaceAll("[^!-~]", "_"));
        address.setTimeout(connectTimeout);
        return address;
    }

    /** Returns the number of a new connection. It identifies one run of one server, within which times can be compared. */
    public long nextRun() {
        return runs.incrementAndGet();
    }

    public boolean isClosed() {
        return closed;
    }

    /** Runs an action on the timer's thread. The stage fails if the driver is closed first. */
    public <T> CompletionStage<T> schedule(long nanos, Supplier<T> action) {
        CompletableFuture<T> done = new CompletableFuture<>();
        long ticket = tickets.incrementAndGet();
        pending.put(ticket, done);
        timer.schedule(nanos, () -> {
            try {
                done.complete(action.get());
            } catch (RuntimeException e) {
                done.completeExceptionally(e);
            }
        });
        if (closed) {
            fail(done);
        }
        return done.whenComplete((value, error) -> pending.remove(ticket));
    }

    public CompletionStage<Void> schedule(long nanos, Runnable action) {
        return schedule(nanos, () -> {
                    action.run();
                    return true;
                })
                .thenAccept(done -> {});
    }

    private static void fail(CompletableFuture<?> stage) {
        stage.completeExceptionally(new IOException("it is closed"));
    }

    /** Waits for a stage for a limited time. Returns its failure; empty if it succeeded. */
    @CanIgnoreReturnValue
    public Optional<Throwable> failureOf(CompletionStage<?> stage, long limitNanos) {
        CompletableFuture<?> end = stage.toCompletableFuture();
        timer.schedule(limitNanos, () -> end.completeExceptionally(new TimeoutException()));
        return end.handle((value, error) -> Optional.<Throwable>ofNullable(error))
                .join();
    }

    /**
     * Makes the first connection, and waits for it. A failure that may pass is followed by further attempts, until the connect
     * timeout has passed since the first failure. If nothing listens at one of these, the server is being started again. After an interrupt, which is preserved, no other attempt is made.
     *
     * @return the last failure; empty if an attempt has succeeded
     */
    public Optional<Throwable> failureOfFirst(Supplier<CompletionStage<?>> attempt, Predicate<Throwable> mayPass) {
        Optional<Throwable> failure = failureOf(attempt.get(), longestConnect().toNanos());
        long end = platform.nanoTime() + connectTimeout.toNanos();
        Predicate<Throwable> repeated = mayPass;
        while (failure.filter(repeated).isPresent()
                && obstacle().isEmpty()
                && !Thread.currentThread().isInterrupted()
                && platform.nanoTime() - end < 0) {
            platform.park(this, PAUSE_NANOS);
            repeated = mayPass.or(NothingListens::isCauseOf);
            failure = failureOf(attempt.get(), connectTimeout.toNanos());
        }
        return failure;
    }

    /**
     * Closes all connections when the timer's present task is done. Waits until they are closed and the threads have ended, but
     * for some seconds at most.
     */
    public void close() {
        closed = true;
        CompletableFuture<Void> idle = new CompletableFuture<>();
        timer.schedule(0, () -> idle.complete(null));
        failureOf(idle.thenCompose(nothing -> client.shutdownAsync(0, CLOSE_SECONDS, TimeUnit.SECONDS)), CLOSE_NANOS);
        timer.close();
        lookups.close();
        pending.values().forEach(Driver::fail);
        if (ownsResources) {
            resources
                    .shutdown(0, CLOSE_SECONDS, TimeUnit.SECONDS)
                    .awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
            resources.timer().stop();
        }
    }
}
