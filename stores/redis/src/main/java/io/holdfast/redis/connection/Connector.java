package io.holdfast.redis.connection;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/** Makes connections to the server that keeps the locks. Its address may change. */
public final class Connector {

    private static final String ANOTHER_MASTER = "it is not the master any more";
    private static final long EARLY_NANOS = 5_000_000;
    private static final int BEATS_PER_CHECK = 5;

    private final StoreConfig config;
    private final RedisFailures failures;
    private final Driver driver;
    private final Platform.Timer timer;
    private final RedisURI uri;
    private final Optional<Sentinels> sentinels;
    private final Optional<Failovers> failovers;
    private final Optional<Function<Duration, CompletionStage<Boolean>>> others;
    private final Succession succession;

    /** The servers of the connections in use, and of the attempts to connect, by what ends each. */
    private final Map<Runnable, RedisURI> monitored = new ConcurrentHashMap<>();

    private volatile boolean sharded;

    /**
     * Creates a connector.
     *
     * @param others asks other masters for the given time whether they name another one in place of this server, and never fails;
     *     empty outside a cluster
     */
    public Connector(
            StoreConfig config,
            RedisFailures failures,
            Driver driver,
            Optional<Function<Duration, CompletionStage<Boolean>>> others) {
        this.config = config;
        this.others = others;
        this.failures = failures;
        this.driver = driver;
        timer = driver.timer;
        RedisAddress server = failures.server();
        uri = driver.prepared(server.uri());
        succession = new Succession(
                config.platform(),
                server.group().map(group -> group.sentinels().size()).orElse(0));
        sentinels = server.group().map(group -> {
            group.sentinels().forEach(driver::prepared);
            return new Sentinels(driver, group, succession);
        });
        failovers = server.group()
                .map(group -> new Failovers(
                        driver.client,
                        config.platform(),
                        timer,
                        config.commandTimeout().toNanos(),
                        group,
                        listener()));
    }

    /**
     * Connects to the master and prepares the connection. Everything has one time limit, because a server may hang at any step. Until
     * the first connection of a process is open, the driver limits the time from its first packet on, so that the time in which
     * classes are loaded does not count.
     *
     * @param open how to open the connection
     * @param prepare what to do before the connection is used
     */
    public <C extends StatefulRedisConnection<String, String>, T> CompletionStage<T> connect(
            BiFunction<RedisClient, RedisURI, ? extends CompletionStage<C>> open,
            BiFunction<C, RedisURI, CompletionStage<T>> prepare) {
        failovers.ifPresent(Failovers::start);
        CompletableFuture<T> attempt = new CompletableFuture<>();
        limit(attempt, driver.longestConnect());
        master().thenCompose(server -> register(attempt, server))
                .thenCompose(server -> openTwice(open, server).thenCompose(made -> {
                    driver.opened();
                    limit(attempt, config.connectTimeout());
                    // a failed attempt closes its connection, even one that hangs until the time is up
                    var unused = attempt.whenComplete((ready, error) -> {
                        if (error != null) {
                            close(made);
                        }
                    });
                    return ping(made, new CompletableFuture<>())
                            .thenCompose(this::checkHello)
                            .thenCompose(this::checkId)
                            .thenCompose(ready -> prepare.apply(ready, server))
                            // race: it may have been replaced before it answered, for example because it was frozen
                            .thenCompose(ready -> hasMoved(server, slowest()).thenApply(moved -> {
                                if (moved) {
                                    throw new CompletionException(new IOException(ANOTHER_MASTER));
                                }
                                return ready;
                            }));
                }))
                .whenComplete((made, error) -> {
                    if (error == null) {
                        attempt.complete(made);
                    } else {
                        attempt.completeExceptionally(error);
                    }
                });
        return attempt;
    }

    private void limit(CompletableFuture<?> attempt, Duration time) {
        Platform.Task end = timer.schedule(time.toNanos(), () -> attempt.completeExceptionally(new TimeoutException()));
        var unused = attempt.whenComplete((made, error) -> end.cancel());
    }

    /** Returns the time after which Sentinels or masters that are slow do not keep a connection from being used. */
    private Duration slowest() {
        Duration half = config.connectTimeout().dividedBy(2);
        return config.commandTimeout().compareTo(half) < 0 ? config.commandTimeout() : half;
    }

    /** Registers an attempt, so that it ends when its server is replaced: one that is away does not answer for a long time. */
    private CompletionStage<RedisURI> register(CompletableFuture<?> attempt, RedisURI server) {
        if (sentinels.isPresent()) {
            failures.answered();
        }
        Runnable end = () -> attempt.completeExceptionally(new IOException(ANOTHER_MASTER));
        monitored.put(end, server);
        var unused = attempt.whenComplete((ready, error) -> monitored.remove(end));
        leaveLater(attempt, end, server);
        // race: the message may have come before the attempt was registered
        return succession.isReplaced(RedisAddress.place(server))
                ? CompletableFuture.failedStage(new IOException(ANOTHER_MASTER))
                : CompletableFuture.completedStage(server);
    }

    /** Asks the Sentinels during an attempt that lasts. They may report nothing to this client. */
    private void leaveLater(CompletableFuture<?> attempt, Runnable end, RedisURI server) {
        timer.schedule(config.commandTimeout().toNanos(), () -> {
            if (sentinels.isPresent() && !attempt.isDone()) {
                leaveIfMoved(end, server);
                leaveLater(attempt, end, server);
            }
        });
    }

    /**
     * Opens a connection. There is a second attempt if the first one was closed without an answer: when a server refuses the login,
     * Lettuce 7 closes the connection, and sometimes reports that in place of the refusal (race).
     */
    private <C> CompletionStage<C> openTwice(
            BiFunction<RedisClient, RedisURI, ? extends CompletionStage<C>> open, RedisURI server) {
        return open(open, server)
                .toCompletableFuture()
                .exceptionallyCompose(error -> RedisFailures.isWithoutAnswer(error)
                        ? open(open, server)
                        : CompletableFuture.failedStage(error));
    }

    /** Opens a connection, unless the driver is closed. Connecting through a closed driver would throw. */
    private <C> CompletionStage<C> open(
            BiFunction<RedisClient, RedisURI, ? extends CompletionStage<C>> open, RedisURI server) {
        return driver.isClosed()
                ? CompletableFuture.failedStage(new IOException("it is closed"))
                : open.apply(driver.client, server);
    }

    private CompletionStage<RedisURI> master() {
        return driver.obstacle()
                .<CompletionStage<RedisURI>>map(CompletableFuture::failedStage)
                .orElseGet(() -> sentinels
                        .map(group -> group.withMaster(uri, driver.longestConnect()))
                        .orElseGet(() -> CompletableFuture.completedStage(uri)));
    }

    // ---- failovers

    private Failovers.Listener listener() {
        return new Failovers.Listener() {

            @Override
            public void replaced(String before, String now) {
                Connector.this.replaced(before, now);
            }

            @Override
            public void missed() {
                leaveReplaced();
            }
        };
    }

    private void replaced(String before, String now) {
        succession.replaced(before, now);
        monitored.forEach((end, server) -> {
            if (!RedisAddress.place(server).equals(now)) {
                end.run();
            }
        });
    }

    /** Ends each connection to a server that the Sentinels do not name any more. */
    private void leaveReplaced() {
        monitored.forEach(this::leaveIfMoved);
    }

    private void leaveIfMoved(Runnable end, RedisURI server) {
        hasMoved(server, config.connectTimeout()).thenAccept(moved -> {
            if (moved) {
                end.run();
            }
        });
    }

    /** Returns the check of a connection to a master; empty if nobody knows another one. */
    public Optional<MasterCheck> masterCheck(RedisURI server, Runnable lost) {
        return sentinels.isEmpty() && others.isEmpty()
                ? Optional.empty()
                : Optional.of(new MasterCheck(
                        config.platform(),
                        timer,
                        config.commandTimeout().dividedBy(2),
                        limit -> hasMoved(server, limit),
                        failures::replaced,
                        lost));
    }

    /**
     * The result is true if the Sentinels or other masters name another server now. It is false if they do not answer.
     *
     * @param limit the time after which the answers that have arrived decide
     */
    private CompletionStage<Boolean> hasMoved(RedisURI server, Duration limit) {
        if (sentinels.isEmpty()) {
            return others.map(ask -> ask.apply(limit)).orElseGet(() -> CompletableFuture.completedStage(false));
        } else if (succession.isReplaced(RedisAddress.place(server))) {
            return CompletableFuture.completedStage(true);
        }
        // a driver that is closed throws
        return CompletableFuture.completedStage(sentinels.get())
                .thenCompose(group -> group.withMaster(uri, limit))
                .handle((now, error) ->
                        error == null && !RedisAddress.place(now).equals(RedisAddress.place(server)));
    }

    /**
     * Completes when the server answers a ping, and fails while it is loading its data. Lettuce 7 may report a connection before
     * it can be used. The ping is then repeated.
     */
    private <C extends StatefulRedisConnection<String, String>> CompletionStage<C> ping(
            C made, CompletableFuture<C> ready) {
        CompletionStage<String> answer = made.async().ping();
        answer.whenComplete((pong, error) -> {
            if (error == null) {
                ready.complete(made);
            } else if (made.isOpen() && String.valueOf(error.getMessage()).startsWith("Currently not connected")) {
                timer.schedule(EARLY_NANOS, () -> ping(made, ready));
            } else {
                ready.completeExceptionally(error);
            }
        });
        return ready;
    }

    /** Fails if the server cannot keep locks, for example because it is a replica. */
    private <C extends StatefulRedisConnection<String, String>> CompletionStage<C> checkHello(C made) {
        return HelloReply.ask(made.async()).handle((hello, error) -> {
            if (error != null) {
                throw new CompletionException(error);
            }
            failures.objection(hello).ifPresent(objection -> {
                throw objection;
            });
            sharded = hello.hasShardChannels();
            return made;
        });
    }

    /** Returns {@code true} if the server of the latest connection supports shard channels. */
    public boolean hasShardChannels() {
        return sharded;
    }

    /** Fails if another node of the cluster has this address now. */
    private <C extends StatefulRedisConnection<String, String>> CompletionStage<C> checkId(C made) {
        Optional<String> id = failures.server().id();
        return id.isEmpty()
                ? CompletableFuture.completedStage(made)
                : made.async().clusterMyId().thenApply(actual -> {
                    if (!actual.equals(id.get())) {
                        throw failures.anotherNode(actual);
                    }
                    return made;
                });
    }

    /**
     * Monitors a connection that is in use, and calls {@code lost} in these cases:
     *
     * <ul>
     *   <li>the connection is cut
     *   <li>a heartbeat reports that the connection is unusable, or is not answered within twice the command timeout
     *   <li>the Sentinels, or other masters of the cluster, name another server. A master that was partitioned from the others, or
     *       frozen, does not know that it was replaced (split brain)
     * </ul>
     *
     * @param address the server of the connection
     * @param beat sends a heartbeat; its answer is {@code false} if the connection is unusable
     * @param lost may be called more than once
     */
    public void monitor(
            StatefulRedisConnection<String, String> made,
            RedisURI address,
            Supplier<CompletionStage<Boolean>> beat,
            Runnable lost) {
        Runnable end = new Runnable() {
            @Override
            public void run() {
                monitored.remove(this);
                lost.run();
            }
        };
        monitored.put(end, address);
        made.addListener(new Disconnection(end));
        AtomicInteger beats = new AtomicInteger();
        Supplier<CompletionStage<Boolean>> checkedBeat = () -> {
            boolean told = failovers.map(Failovers::check).orElse(true);
            if (beats.incrementAndGet() % BEATS_PER_CHECK == 0 || !told) {
                leaveIfMoved(end, address);
            }
            return beat.get();
        };
        beat(made, checkedBeat, end, CompletableFuture.completedStage(true), checkedBeat.get());
        // race: the message may have come, or the connection may have been cut, before it was registered
        if (succession.isReplaced(RedisAddress.place(address)) || !made.isOpen()) {
            end.run();
        }
    }

    private void beat(
            StatefulRedisConnection<String, String> made,
            Supplier<CompletionStage<Boolean>> beat,
            Runnable lost,
            CompletionStage<Boolean> previous,
            CompletionStage<Boolean> latest) {
        timer.schedule(config.commandTimeout().toNanos(), () -> {
            if (made.isOpen() && previous.toCompletableFuture().getNow(false)) {
                beat(made, beat, lost, latest, beat.get());
            } else {
                lost.run();
            }
        });
    }

    /** Stops to listen to the Sentinels. */
    public void close() {
        failovers.ifPresent(Failovers::close);
    }

    public void close(StatefulRedisConnection<String, String> made) {
        CompletionStage<Void> unused = made.closeAsync();
    }
}
