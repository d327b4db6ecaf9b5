package io.holdfast.redis.script;

import io.holdfast.Safety;
import io.holdfast.redis.connection.Connector;
import io.holdfast.redis.connection.Driver;
import io.holdfast.redis.connection.ExactUtf8;
import io.holdfast.redis.connection.HelloReply;
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
import java.util.Arrays;
import java.util.List;
import java.util.Map;
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
 * What a client has open to its server: one connection, for commands and for messages.
 *
 * <p>Replies and messages come in the order in which the server sent them. So the answer to a ping proves that all messages
 * before it are here; and what comes on one connection is of one run of one server, so that the times in its replies and
 * in its messages can be compared.
 */
public final class Session {

    /** For what a script leaves to the next; whatever is left after so many is left to the polls of those who wait. */
    private static final int MOST_REPEATS = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(Session.class);

    private static final long GIVEN_NANOS = 100_000_000;
    private static final long GIVEN_AGAIN_NANOS = 1_000_000_000;
    private static final CompletionStage<Void> READY = CompletableFuture.completedStage(null);

    private final StoreConfig config;
    private final RedisFailures failures;
    private final KeyLayout layout;
    private final Driver driver;
    private final Runnable trouble;
    private final Connector connector;
    private final Map<Safety, Replicas> replicas = new ConcurrentHashMap<>();
    public final Reconnecting<StatefulRedisPubSubConnection<String, String>> connection;
    public final Mailbox mailbox;
    private volatile boolean listening;
    private volatile RedisURI server;
    private volatile Neighbour neighbour = Neighbour.NONE;
    private volatile long run;
    private volatile Optional<ShardChannels> slots = Optional.empty();
    private volatile boolean closed;
    private volatile long lastGiven;
    private final AtomicBoolean wasUp;
    private final AtomicBoolean deafTold = new AtomicBoolean();
    private final Set<Integer> given = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean givenToTell = new AtomicBoolean();

    /** Another library on the same server, whose channels are listened to. */
    public interface Neighbour {

        Neighbour NONE = new Neighbour() {
            @Override
            public void heard(String channel) {}

            @Override
            public void connected() {}
        };

        void heard(String channel);

        /** Nothing is subscribed to any more. */
        void connected();
    }

    /** @param trouble told when a connection is lost */
    public Session(StoreConfig config, RedisFailures failures, KeyLayout layout, Driver driver, Runnable trouble) {
        this.config = config;
        this.failures = failures;
        this.layout = layout;
        this.driver = driver;
        this.trouble = trouble;
        wasUp = new AtomicBoolean(config.lazy());
        mailbox = new Mailbox(
                config, driver.timer, (to, text) -> send(() -> "publish", r -> r.publish(layout.inbox(to), text)));
        connector = new Connector(config, failures, driver);
        server = failures.server().uri();
        lastGiven = config.platform().nanoTime() - GIVEN_AGAIN_NANOS;
        connection = new Reconnecting<>(config.platform(), driver.timer, this::make, this::up, this::down);
    }

    private Replicas replicas(Safety safety) {
        Replicas line = replicas.computeIfAbsent(
                safety, level -> new Replicas(config, level, failures, connector, driver.timer));
        // looked at when it is there: whoever closes afterwards finds it
        if (closed) {
            line.close();
        }
        return line;
    }

    /** Fails if this server cannot do what most requests will want of it. */
    public CompletionStage<Void> able() {
        Safety safety = config.safety();
        return safety.equals(Safety.async()) ? READY : replicas(safety).able();
    }

    public Platform.Timer timer() {
        return driver.timer;
    }

    // ---- the connection

    private CompletionStage<StatefulRedisPubSubConnection<String, String>> make() {
        return connector.connect((client, uri) -> client.connectPubSubAsync(ExactUtf8.CODEC, uri), this::subscribe);
    }

    /** Listens. Where the server forbids it, signals are never confirmed. */
    private <C extends StatefulRedisPubSubConnection<String, String>> CompletionStage<C> subscribe(
            C made, RedisURI place) {
        server = place;
        // what comes on this connection has its number, also when another one was made meanwhile
        long number = driver.nextRun();
        run = number;
        String inbox = layout.inbox(config.client().id());
        made.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String message) {
                if (channel.equals(inbox)) {
                    mailbox.receive(message, number);
                } else {
                    neighbour.heard(channel);
                }
            }
        });
        slots = connector.hasShardChannels()
                ? Optional.of(new ShardChannels(
                        made,
                        (channel, message) -> mailbox.receive(message, number),
                        this::slotGiven,
                        this::slotNotHeard))
                : Optional.empty();
        return made.async().subscribe(inbox).handle((ignored, error) -> {
            listening = error == null;
            if (error instanceof RedisCommandExecutionException) {
                deaf(failures.request("subscribe", error));
            } else if (error != null) {
                throw new CompletionException(error);
            }
            return made;
        });
    }

    /** Told once: each new connection finds the same. */
    private void deaf(StoreException failure) {
        if (!deafTold.getAndSet(true)) {
            LOG.warn(
                    "Client {} receives no messages: {}. Locks work, but a waiter learns of a release only at its next poll.",
                    config.client().id(),
                    failure.getMessage());
        }
    }

    /** A slot that is elsewhere by now is found by whoever asks for a name there. */
    private void slotNotHeard(Throwable error) {
        StoreException failure = failures.request("ssubscribe", error);
        if (listening && failure.effect() == Effect.REFUSED) {
            listening = false;
            deaf(failure);
        }
    }

    /** What was to be told in the slot is told elsewhere by now. Mostly many slots go at once, or one after the other for long. */
    private void slotGiven(int slot) {
        given.add(slot);
        if (!givenToTell.getAndSet(true)) {
            long sinceLast = config.platform().nanoTime() - lastGiven;
            driver.timer.schedule(Math.max(GIVEN_NANOS, GIVEN_AGAIN_NANOS - sinceLast), this::tellGiven);
        }
    }

    private void tellGiven() {
        givenToTell.set(false);
        lastGiven = config.platform().nanoTime();
        Set<Integer> gone = Set.copyOf(given);
        given.removeAll(gone);
        config.signals().accept(new Signal.Gap(name -> gone.contains(layout.slotOf(name))));
    }

    /** With what the channels begin on which clients hear of the name; known when there is a connection. */
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
     * Listens to what will be told of the names, which are of one slot; done at once where that is so already.
     *
     * @param behind whether what is to be told of is sent on the same connection
     */
    private CompletionStage<Void> listen(Script script, List<String> names, boolean behind) {
        Optional<ShardChannels> present = slots;
        return present.isEmpty() || !script.listens()
                ? READY
                : present.get()
                        .listen(
                                layout.inboxesOf(layout.slotOf(names.get(0)))
                                        + config.client().id(),
                                behind);
    }

    /** What came between the last connection and this is missed. */
    private void up(StatefulRedisPubSubConnection<String, String> made) {
        connector.keepWatch(made, server, () -> master(made), () -> connection.lost(made));
        neighbour.connected();
        if (wasUp.getAndSet(true)) {
            mailbox.receive("G", 0);
            config.signals().accept(new Signal.Up(failures.name(), RedisAddress.place(server)));
        }
    }

    /** The next one may be to another server, and all are to be to the same. */
    private void down(StatefulRedisPubSubConnection<String, String> gone) {
        connector.down(gone);
        replicas.values().forEach(Replicas::lost);
        if (!closed) {
            config.signals().accept(new Signal.Down(failures.name()));
        }
        trouble.run();
    }

    private static CompletionStage<Boolean> master(StatefulRedisPubSubConnection<String, String> made) {
        return HelloReply.ask(made.async()).handle((hello, error) -> error == null && hello.isMaster());
    }

    // ---- requests and messages

    /** Runs a script for a lock, also if the server has forgotten it. */
    public <T> CompletionStage<T> run(
            Script script, String name, Function<ScriptReply, T> decoder, Object... arguments) {
        boolean told = script.frees && isBesideRedisson();
        String[] keys = told ? layout.keysBesideRedisson(name) : layout.servedKeys(List.of(name));
        return run(script, keys, List.of(name), decoder, arguments);
    }

    private boolean isBesideRedisson() {
        return failures.server().besideRedisson();
    }

    /** Where clients of Redisson wait for a read/write lock; empty if they are not to be told. */
    public String sharedChannel(String name) {
        return isBesideRedisson() ? RedissonNames.sharedChannel(layout.prefix() + name) : "";
    }

    /** The same until nothing is left to be done, as a script does only so much. Nobody waits for what is done later. */
    public static <T> CompletionStage<T> toTheEnd(
            Supplier<CompletionStage<ScriptReply>> run, Function<ScriptReply, T> decoder) {
        return toTheEnd(run, decoder, MOST_REPEATS);
    }

    private static <T> CompletionStage<T> toTheEnd(
            Supplier<CompletionStage<ScriptReply>> run, Function<ScriptReply, T> decoder, int repeats) {
        return run.get().thenApply(reply -> {
            if (reply.isCut() && repeats > 0) {
                var unused = toTheEnd(run, decoder, repeats - 1);
            }
            return decoder.apply(reply);
        });
    }

    /** With these keys, for these names. */
    public <T> CompletionStage<T> run(
            Script script, String[] keys, List<String> names, Function<ScriptReply, T> decoder, Object... arguments) {
        return run(Safety.async(), script, keys, names, decoder, arguments);
    }

    /** So that what it grants is where this says. */
    public <T> CompletionStage<T> run(
            Safety safety,
            Script script,
            String[] keys,
            List<String> names,
            Function<ScriptReply, T> decoder,
            Object... arguments) {
        return run(safety, script, keys, names, decoder, false, arguments);
    }

    /** With one of the keys alone, which may be on its way here. */
    public <T> CompletionStage<T> runByKey(
            Safety safety,
            String key,
            String name,
            Function<ScriptReply, T> decoder,
            boolean asking,
            Object... arguments) {
        return run(safety, Script.BY_KEY, new String[] {key}, List.of(name), decoder, asking, arguments);
    }

    /** What is assigned by a message is nowhere else yet: who wants more than that gets no run, and asks. */
    private <T> CompletionStage<T> run(
            Safety safety,
            Script script,
            String[] keys,
            List<String> names,
            Function<ScriptReply, T> decoder,
            boolean asking,
            Object... arguments) {
        boolean plain = safety.equals(Safety.async());
        long current = listening && plain ? run : 0;
        Supplier<String> what = () -> script + " " + names;
        Function<StatefulRedisConnection<String, String>, CompletionStage<T>> use = open -> {
            String[] values = new String[arguments.length];
            Arrays.setAll(values, i -> arguments[i].toString());
            ScriptRun<T> begun = new ScriptRun<>(
                    script, keys, values, reply -> decoder.apply(new ScriptReply(reply, current)), failed(what, open));
            return listen(script, names, plain)
                    .thenCompose(heard -> asking ? begun.asking(open) : begun.on(open.async()));
        };
        return plain ? whenOpen(what, use) : replicas(safety).run(script.acquires(), what, use);
    }

    /** Sends a command; at once, or not at all. */
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
                replicas.values().forEach(line -> line.lost(used));
            }
            return failures.request(what.get(), error);
        };
    }

    private <T> CompletionStage<T> whenOpen(
            Supplier<String> what, Function<StatefulRedisConnection<String, String>, CompletionStage<T>> use) {
        var open = connection.now();
        return open.isPresent()
                ? use.apply(open.get())
                : connection
                        .get()
                        .exceptionallyCompose(
                                error -> CompletableFuture.failedStage(failures.unreachable(what.get(), error)))
                        .thenCompose(use);
    }

    /** From now on. */
    public void listenFor(Neighbour other) {
        neighbour = other;
    }

    /** Fails where there are no messages. */
    public CompletionStage<Void> confirm() {
        return send(() -> "ping", RedisAsyncCommands::ping).thenAccept(pong -> {
            if (!listening) {
                throw new StoreException(Effect.REFUSED, "messages do not arrive: this user may not subscribe");
            }
        });
    }

    // ---- the end

    /** Makes no connection any more; those that are there end with the driver. */
    public void close() {
        closed = true;
        connection.close();
        replicas.values().forEach(Replicas::close);
    }

    /** Ends them, while the driver goes on. */
    public void leave() {
        closed = true;
        var last = connection.now();
        replicas.values().forEach(Replicas::leave);
        close();
        last.ifPresent(connector::down);
    }
}
