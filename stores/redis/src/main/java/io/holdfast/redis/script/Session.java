package io.holdfast.redis.script;

import io.holdfast.Safety;
import io.holdfast.redis.connection.Connector;
import io.holdfast.redis.connection.Driver;
import io.holdfast.redis.connection.ExactUtf8;
import io.holdfast.redis.connection.HelloReply;
import io.holdfast.redis.connection.MasterCheck;
import io.holdfast.redis.connection.RedisAddress;
import io.holdfast.redis.connection.RedisFailures;
import io.holdfast.redis.connection.Replicas;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.support.Mailbox;
import io.holdfast.support.Reconnecting;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of a client to its server, for commands and for messages.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>Replies and messages arrive in the order in which the server sent them. So the answer to a ping proves that every
 *       message before it has arrived.
 *   <li>Everything on one connection comes from one run of one server. So the times in its replies and messages can be
 *       compared.
 *   <li>A lost connection is never used again. Each later connection signals a gap, because messages may have been lost before.
 * </ol>
 */
public final class Session {

    /** The maximum number of times that a script runs again for work that it left. After that, polls of waiters do the rest. */
    private static final int MAX_REPEATS = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(Session.class);

    private static final long GAP_DELAY_NANOS = 100_000_000;
    private static final long GAP_PERIOD_NANOS = 1_000_000_000;
    private static final CompletionStage<Void> READY = CompletableFuture.completedStage(null);

    private final StoreConfig config;
    private final RedisFailures failures;
    private final KeyLayout layout;
    private final Driver driver;
    private final Runnable onLost;
    private final Connector connector;
    private final Optional<Replicas> replicas;
    public final Reconnecting<StatefulRedisPubSubConnection<String, String>> connection;
    public final Mailbox mailbox;
    private volatile boolean listening;
    private volatile RedisURI server;
    private volatile Optional<MasterCheck> masterCheck = Optional.empty();
    private volatile Neighbour neighbour = Neighbour.NONE;
    private volatile long run;
    private volatile Optional<ShardChannels> slots = Optional.empty();
    private volatile boolean closed;
    private volatile long lastGap;
    private final AtomicBoolean wasUp;
    private final AtomicBoolean warned = new AtomicBoolean();
    private final Set<Integer> movedSlots = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean gapScheduled = new AtomicBoolean();

    /** A client of another library on the same server, whose channels this session listens to. */
    public interface Neighbour {

        Neighbour NONE = new Neighbour() {
            @Override
            public void received(String channel) {}

            @Override
            public void connected() {}
        };

        void received(String channel);

        /** Called for each new connection, which has no subscriptions yet. */
        void connected();
    }

    /**
     * Creates a session.
     *
     * @param onLost called when a connection is lost
     * @param others asks other masters whether they name another one in place of this server; empty outside a cluster
     */
    public Session(
            StoreConfig config,
            RedisFailures failures,
            KeyLayout layout,
            Driver driver,
            Runnable onLost,
            Optional<Function<Duration, CompletionStage<Boolean>>> others) {
        this.config = config;
        this.failures = failures;
        this.layout = layout;
        this.driver = driver;
        this.onLost = onLost;
        wasUp = new AtomicBoolean(config.lazy());
        mailbox = new Mailbox(
                config, driver.timer, (to, text) -> send(() -> "publish", r -> r.publish(layout.inbox(to), text)));
        connector = new Connector(config, failures, driver, others);
        replicas = config.safety().equals(Safety.async())
                ? Optional.empty()
                : Optional.of(new Replicas(config, failures, connector, driver.timer));
        server = failures.server().uri();
        lastGap = config.platform().nanoTime() - GAP_PERIOD_NANOS;
        connection = new Reconnecting<>(config.platform(), driver.timer, this::open, this::up, this::down);
    }

    /** Fails if this server cannot provide the safety level of the client. */
    public CompletionStage<Void> requireSafety() {
        return replicas.map(Replicas::requireSafety).orElse(READY);
    }

    public Platform.Timer timer() {
        return driver.timer;
    }

    // ---- the connection

    private CompletionStage<StatefulRedisPubSubConnection<String, String>> open() {
        return connector.connect((client, uri) -> client.connectPubSubAsync(ExactUtf8.CODEC, uri), this::subscribe);
    }

    /**
     * Subscribes to the inbox. If the server forbids it, the session continues without messages, and signals are never
     * confirmed.
     */
    private <C extends StatefulRedisPubSubConnection<String, String>> CompletionStage<C> subscribe(
            C made, RedisURI address) {
        server = address;
        Optional<MasterCheck> check = connector.masterCheck(address, () -> connection.lost(made));
        masterCheck = check;
        // a late message must not count for a later connection
        long number = driver.nextRun();
        run = number;
        String inbox = layout.inbox(config.client().id());
        made.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String message) {
                if (channel.equals(inbox)) {
                    mailbox.receive(message, counting(check, number));
                } else {
                    neighbour.received(channel);
                }
            }
        });
        slots = connector.hasShardChannels()
                ? Optional.of(new ShardChannels(
                        made,
                        (channel, message) -> mailbox.receive(message, counting(check, number)),
                        this::slotMoved,
                        this::subscribeFailed))
                : Optional.empty();
        return made.async().subscribe(inbox).handle((ignored, error) -> {
            listening = error == null;
            if (error instanceof RedisCommandExecutionException) {
                warnNoMessages(failures.request("subscribe", error));
            } else if (error != null) {
                throw new CompletionException(error);
            }
            return made;
        });
    }

    /** Returns the run of a message. One of a master that may have been replaced counts for none, and is only a hint. */
    private static long counting(Optional<MasterCheck> check, long number) {
        return check.map(MasterCheck::counts).orElse(true) ? number : 0;
    }

    /** Logs a warning that no messages are received, but only once: each new connection would repeat it. */
    private void warnNoMessages(StoreException failure) {
        if (!warned.getAndSet(true)) {
            LOG.warn(
                    "Client {} receives no messages: {}. Locks work, but a waiter learns of a release only at its next poll.",
                    config.client().id(),
                    failure.getMessage());
        }
    }

    /** Handles a failed subscription. If the slot has moved, the next request for one of its names finds the new node. */
    private void subscribeFailed(Throwable error) {
        StoreException failure = failures.request("ssubscribe", error);
        if (listening && failure.effect() == Effect.REFUSED) {
            listening = false;
            warnNoMessages(failure);
        }
    }

    /**
     * Handles the loss of a slot: the server unsubscribes its channel when the slot has migrated to another node. Messages may
     * have been missed. A resharding moves many slots, at once or one after another, so one signal reports the gaps of many.
     */
    private void slotMoved(int slot) {
        movedSlots.add(slot);
        if (!gapScheduled.getAndSet(true)) {
            long sinceLast = config.platform().nanoTime() - lastGap;
            driver.timer.schedule(Math.max(GAP_DELAY_NANOS, GAP_PERIOD_NANOS - sinceLast), this::signalGap);
        }
    }

    private void signalGap() {
        gapScheduled.set(false);
        lastGap = config.platform().nanoTime();
        Set<Integer> moved = Set.copyOf(movedSlots);
        movedSlots.removeAll(moved);
        config.signals().accept(new Signal.Gap(name -> moved.contains(layout.slotOf(name))));
    }

    /**
     * Returns the prefix of the inbox channels for this name. It is determined when the script is sent, because it depends on the
     * server's version.
     */
    public Object inboxes(String name) {
        return failures.server().isCluster() ? new Inboxes(name) : layout.inbox("");
    }

    private final class Inboxes {

        private final String name;

        Inboxes(String name) {
            this.name = name;
        }

        @Override
        public String toString() {
            return connector.hasShardChannels() ? layout.inboxesOf(layout.slotOf(name)) : layout.inbox("");
        }
    }

    /**
     * Subscribes to messages about the names, which are in one slot. If the client is subscribed already, the result is complete
     * at once.
     *
     * @param followed {@code true} if the script follows on the same connection
     */
    private CompletionStage<Void> listen(Script script, List<String> names, boolean followed) {
        Optional<ShardChannels> present = slots;
        return present.isEmpty() || !script.listens()
                ? READY
                : present.get()
                        .listen(
                                layout.inboxesOf(layout.slotOf(names.get(0)))
                                        + config.client().id(),
                                followed);
    }

    /** Handles a new connection. Messages between the previous connection and this one are lost. */
    private void up(StatefulRedisPubSubConnection<String, String> made) {
        failures.answered();
        connector.monitor(
                made,
                server,
                () -> counted(() -> isMaster(made)).exceptionally(failed -> false),
                () -> connection.lost(made));
        neighbour.connected();
        if (wasUp.getAndSet(true)) {
            mailbox.receive("G", 0);
            config.signals().accept(new Signal.Up(failures.name(), RedisAddress.place(server)));
        }
    }

    /** Handles a lost connection. The next one may lead to another server, so the connections for WAIT are closed as well. */
    private void down(StatefulRedisPubSubConnection<String, String> lost) {
        connector.close(lost);
        replicas.ifPresent(Replicas::lost);
        if (!closed) {
            config.signals().accept(new Signal.Down(failures.name()));
        }
        onLost.run();
    }

    private static CompletionStage<Boolean> isMaster(StatefulRedisPubSubConnection<String, String> made) {
        return HelloReply.ask(made.async()).handle((hello, error) -> error == null && hello.isMaster());
    }

    // ---- requests and messages

    /** Runs a script for a lock. */
    public <T> CompletionStage<T> run(
            Script script, String name, Function<ScriptReply, T> decoder, Object... arguments) {
        boolean notifies = script.frees && isBesideRedisson();
        String[] keys = notifies ? layout.keysBesideRedisson(name) : layout.servedKeys(name);
        return run(script, keys, List.of(name), decoder, arguments);
    }

    private boolean isBesideRedisson() {
        return failures.server().besideRedisson();
    }

    /** Returns the channel on which Redisson's clients wait for a read/write lock; empty without Redisson. */
    public String sharedChannel(String name) {
        return isBesideRedisson() ? RedissonNames.sharedChannel(layout.prefix() + name) : "";
    }

    /** Runs a script again while its reply reports that work is left. The result is that of the first run. */
    public static <T> CompletionStage<T> runToEnd(
            Supplier<CompletionStage<ScriptReply>> run, Function<ScriptReply, T> decoder) {
        return runToEnd(run, decoder, MAX_REPEATS);
    }

    private static <T> CompletionStage<T> runToEnd(
            Supplier<CompletionStage<ScriptReply>> run, Function<ScriptReply, T> decoder, int repeats) {
        return run.get().thenApply(reply -> {
            if (reply.isIncomplete() && repeats > 0) {
                var unused = runToEnd(run, decoder, repeats - 1);
            }
            return decoder.apply(reply);
        });
    }

    /** Runs a script with the given keys, for names of one slot. */
    public <T> CompletionStage<T> run(
            Script script, String[] keys, List<String> names, Function<ScriptReply, T> decoder, Object... arguments) {
        return run(script.confirmed() ? replicas : Optional.empty(), script, keys, names, decoder, false, arguments);
    }

    /**
     * Runs {@link Script#BY_KEY} with one key.
     *
     * @param confirmed {@code true} if the answer counts only when the replicas and disks of the safety level have the effect
     * @param asking {@code true} if the node may be importing the slot of the key
     */
    public <T> CompletionStage<T> runByKey(
            boolean confirmed,
            String key,
            String name,
            Function<ScriptReply, T> decoder,
            boolean asking,
            Object... arguments) {
        return run(
                confirmed ? replicas : Optional.empty(),
                Script.BY_KEY,
                new String[] {key},
                List.of(name),
                decoder,
                asking,
                arguments);
    }

    /**
     * Runs a script. With a safety level above {@link Safety#async()}, the reply has no run. The effect: an assignment by a
     * message counts only as a hint, because it may not be replicated yet, and its receiver requests the name.
     */
    private <T> CompletionStage<T> run(
            Optional<Replicas> confirming,
            Script script,
            String[] keys,
            List<String> names,
            Function<ScriptReply, T> decoder,
            boolean asking,
            Object... arguments) {
        boolean plain = confirming.isEmpty();
        long current = listening && plain ? run : 0;
        Supplier<String> what = () -> script + " " + names;
        Function<StatefulRedisConnection<String, String>, CompletionStage<T>> use = open -> {
            String[] values = new String[arguments.length];
            Arrays.setAll(values, i -> arguments[i].toString());
            ScriptRun<T> scriptRun = new ScriptRun<>(
                    script, keys, values, reply -> decoder.apply(new ScriptReply(reply, current)), failed(what, open));
            return listen(script, names, plain)
                    .thenCompose(done -> asking ? scriptRun.asking(open) : scriptRun.on(open.async()));
        };
        return plain ? whenOpen(what, use) : confirming.get().run(script.acquires(), what, use);
    }

    /** Sends a command at once, or fails if there is no connection. Only the first request waits for one. */
    public <T> CompletionStage<T> send(
            Supplier<String> what, Function<RedisAsyncCommands<String, String>, ? extends CompletionStage<T>> command) {
        return whenOpen(
                what,
                open -> command.apply(open.async())
                        .exceptionallyCompose(error ->
                                CompletableFuture.failedStage(failed(what, open).apply(error))));
    }

    private Function<Throwable, StoreException> failed(
            Supplier<String> what, StatefulRedisConnection<String, String> used) {
        return error -> {
            if (RedisFailures.isDemotion(error)) {
                connection.lost(used);
                replicas.ifPresent(waits -> waits.lost(used));
            }
            return failures.request(what.get(), error);
        };
    }

    private <T> CompletionStage<T> whenOpen(
            Supplier<String> what, Function<StatefulRedisConnection<String, String>, CompletionStage<T>> use) {
        var open = connection.now();
        return open.isPresent()
                ? counted(() -> use.apply(open.get()))
                : connection
                        .get(config.commandTimeout())
                        .exceptionallyCompose(
                                error -> CompletableFuture.failedStage(failures.unreachable(what.get(), error)))
                        .thenCompose(made -> counted(() -> use.apply(made)));
    }

    private <T> CompletionStage<T> counted(Supplier<CompletionStage<T>> request) {
        return MasterCheck.counted(masterCheck, request);
    }

    /** Sets the client of another library. */
    public void setNeighbour(Neighbour other) {
        neighbour = other;
    }

    /** Completes when all earlier messages have arrived. Fails if no messages are received. */
    public CompletionStage<Void> confirm() {
        return send(() -> "ping", RedisAsyncCommands::ping).thenAccept(pong -> {
            if (!listening) {
                throw new StoreException(Effect.REFUSED, "messages do not arrive: this user may not subscribe");
            }
        });
    }

    // ---- close

    /** Stops making connections. The driver closes the present connections when it closes. */
    public void close() {
        closed = true;
        connection.close();
        connector.close();
        replicas.ifPresent(Replicas::close);
    }

    /** Closes the connections, but not the driver. */
    public void disconnect() {
        closed = true;
        var last = connection.now();
        replicas.ifPresent(Replicas::disconnect);
        close();
        last.ifPresent(connector::close);
    }
}
