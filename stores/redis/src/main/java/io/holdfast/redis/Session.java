package io.holdfast.redis;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.spi.TenureId;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.HashedWheelTimer;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a client has open to its server: a connection for commands, shared by all threads, and one for messages.
 *
 * <p>Messages go to the channel of one client. They are {@code F LOCK} the lock is free, {@code A TENURE UNIT UNITS
 * WAITERS EXPIRES LOCK} it was assigned, {@code W LOCK} somebody waits, {@code R TENURE LOCK} it was taken away, {@code Q
 * NUMBER ASKER LOCK} who has it, {@code S NUMBER TENURE SINCE TOKEN OWNER} the answer, {@code G} some may be missing.
 *
 * <p>A client confirms that messages arrive by an answer to itself. That proves, too, that both connections lead to the
 * same run of one server, and that all that came before is read: until the first of them is lost, the times in replies
 * and in messages can be compared. What comes then, until the next proof, may be the rest of a dead server.
 */
final class Session extends RedisPubSubAdapter<String, String> {

    private static final Logger LOG = LoggerFactory.getLogger(Session.class);

    private static final Map<String, Integer> PARTS = Map.of("F", 2, "A", 7, "W", 2, "R", 3, "Q", 4, "S", 3, "G", 2);
    private static final long PATIENCE_NANOS = 200_000_000;
    private static final int THREADS = 2;
    private static final int CLOSE_SECONDS = 2;

    private final StoreConfig config;
    private final Failures failures;
    private final Layout layout;
    private final Platform.Timer timer;
    private final ClientResources resources;
    private final RedisClient client;
    private final Link<StatefulRedisConnection<String, String>> commands;
    private final Link<StatefulRedisPubSubConnection<String, String>> messages;
    private final AtomicLong losses = new AtomicLong();
    private final AtomicLong proven = new AtomicLong(-1);
    private final AtomicLong questions = new AtomicLong();
    private final Map<Long, CompletableFuture<String>> awaited = new ConcurrentHashMap<>();
    private volatile boolean listening;
    private volatile boolean unheard;

    Session(StoreConfig config, Failures failures, Layout layout) {
        this.config = config;
        this.failures = failures;
        this.layout = layout;
        String name =
                "holdfast-" + config.client().name().orElse(config.client().id());
        timer = config.platform().timer(name + "-redis-timer");
        resources = resources(new DefaultThreadFactory(name + "-redis", true));
        RedisURI uri = failures.server().uri();
        uri.setClientName(name.replaceAll("[^!-~]", "_"));
        uri.setTimeout(config.connectTimeout());
        client = RedisClient.create(resources);
        client.setOptions(ClientOptions.builder()
                .autoReconnect(false)
                .useHashIndexQueue(false)
                .build());
        messages = new Link<>(
                () -> client.connectPubSubAsync(StringCodec.UTF8, uri).thenCompose(this::subscribe), this, config);
        commands = new Link<>(() -> client.connectAsync(StringCodec.UTF8, uri), this, config);
    }

    /** A connection on which nothing comes for two intervals, though there is a ping in each, is dead. */
    private ClientResources resources(ThreadFactory threads) {
        return ClientResources.builder()
                .ioThreadPoolSize(THREADS)
                .threadFactoryProvider(pool -> threads)
                .timer(new HashedWheelTimer(threads))
                .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                .nettyCustomizer(new NettyCustomizer() {
                    @Override
                    public void afterChannelInitialized(Channel channel) {
                        long nanos = 2 * config.commandTimeout().toNanos();
                        channel.pipeline().addFirst(new ReadTimeoutHandler(nanos, TimeUnit.NANOSECONDS));
                    }
                })
                .build();
    }

    /** Listens. Where the server forbids it, signals are never confirmed. */
    private CompletionStage<StatefulRedisPubSubConnection<String, String>> subscribe(
            StatefulRedisPubSubConnection<String, String> connection) {
        connection.addListener(this);
        return connection.async().subscribe(layout.inbox(config.client().id())).handle((ignored, error) -> {
            listening = error == null;
            if (error != null) {
                LOG.warn("Locks work, but waiters poll", failures.request("subscribe", error));
            }
            return connection;
        });
    }

    /** Both connections, at the end of the first attempt. */
    CompletionStage<?> open() {
        return messages.get().thenCombine(commands.get(), (first, second) -> second);
    }

    /** One of the connections was made. The first may be that for commands, where nobody asked for the other yet. */
    void up() {
        CompletionStage<?> unused = messages.get();
        unheard = false;
        if (losses.get() > 0 || config.lazy()) {
            message("", "G ");
        }
        CompletionStage<?> unusedToo = confirm();
    }

    void down() {
        losses.incrementAndGet();
    }

    /** Whether the connections lead to different servers: nothing that is sent on the one comes on the other. */
    boolean isDeaf() {
        return listening && unheard;
    }

    /** A number that is another one after each loss of a connection; 0 while it is not proven. */
    long run() {
        long now = losses.get();
        return proven.get() == now ? now + 1 : 0;
    }

    /** Runs a script, also if the server has forgotten it. */
    <T> CompletionStage<T> run(Script script, List<String> names, Function<Reply, T> decoder, Object... arguments) {
        String[] keys = layout.keys(names);
        String[] values = new String[arguments.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = arguments[i].toString();
        }
        CompletionStage<List<Object>> reply = send(
                script + " '" + names.get(0) + "'",
                redis -> redis.<List<Object>>evalsha(script.digest, ScriptOutputType.MULTI, keys, values)
                        .exceptionallyCompose(error -> error instanceof RedisNoScriptException
                                ? redis.eval(script.text, ScriptOutputType.MULTI, keys, values)
                                : CompletableFuture.failedStage(error)));
        return reply.thenApply(list -> decoder.apply(new Reply(list)));
    }

    /** Sends a command; at once, or not at all. */
    <T> CompletionStage<T> send(
            String what, Function<RedisAsyncCommands<String, String>, ? extends CompletionStage<T>> command) {
        return commands.get()
                .exceptionallyCompose(error -> CompletableFuture.failedStage(failures.unreachable(what, error)))
                .thenCompose(connection -> command.apply(connection.async()))
                .exceptionallyCompose(error -> CompletableFuture.failedStage(failures.request(what, error)));
    }

    /** Sends a message to this client, and waits for it. */
    CompletionStage<Void> confirm() {
        long before = losses.get();
        return ask(config.client().id(), "S %d ", config.commandTimeout().toNanos())
                .thenAccept(answer -> proven.accumulateAndGet(before, Math::max));
    }

    /** Asks the holder of a lock what only it knows; empty if it does not answer, or has another tenure by now. */
    CompletionStage<Optional<HoldDescription>> describe(TenureId holder, String name) {
        CompletionStage<String> answer =
                ask(holder.clientId(), "Q %d " + config.client().id() + " " + name, PATIENCE_NANOS);
        return answer.thenApply(text -> text.split(" ", 4))
                .thenApply(parts -> Optional.of(new HoldDescription(
                                holder, parts[3], Instant.parse(parts[1]), Long.parseLong(parts[2])))
                        .filter(hold -> parts[0].equals(Long.toString(holder.number()))))
                .exceptionally(error -> Optional.empty());
    }

    private CompletionStage<String> ask(String client, String question, long patienceNanos) {
        long number = questions.incrementAndGet();
        CompletableFuture<String> answer = new CompletableFuture<>();
        awaited.put(number, answer);
        Platform.Task end = after(patienceNanos, () -> fail(answer, "it took too long"));
        tell(client, question.replace("%d", Long.toString(number))).whenComplete((receivers, error) -> {
            unheard = error == null
                    && receivers == 0
                    && client.equals(config.client().id());
            if (error != null || receivers == 0) {
                fail(answer, error == null ? "nobody listens" : error);
            }
        });
        CompletionStage<String> settled = answer;
        return settled.whenComplete((text, error) -> {
            awaited.remove(number);
            end.cancel();
        });
    }

    private static void fail(CompletableFuture<String> answer, Object why) {
        answer.completeExceptionally(new StoreException(Effect.UNKNOWN, "no message comes back: " + why));
    }

    private CompletionStage<Long> tell(String client, String message) {
        return send("publish", redis -> redis.publish(layout.inbox(client), message));
    }

    /** What is no message of a client, or fails, must not stop those after it. */
    @Override
    public void message(String channel, String message) {
        try {
            receive(message.split(" ", PARTS.getOrDefault(message.substring(0, 1), 1)));
        } catch (RuntimeException e) {
            LOG.warn("Client {} cannot use the message '{}'", config.client().id(), message, e);
        }
    }

    private void receive(String[] parts) {
        switch (parts[0]) {
            case "F" -> signal(new Signal.Freed(layout.name(parts[1])));
            case "W" -> signal(new Signal.Wanted(layout.name(parts[1])));
            case "G" -> signal(new Signal.Gap());
            case "R" -> signal(new Signal.Revoked(layout.name(parts[2]), own(parts[1])));
            case "A" -> signal(assigned(parts));
            case "Q" -> asked(parts[1], parts[2], parts[3]);
            default ->
                awaited.getOrDefault(Long.valueOf(parts[1]), new CompletableFuture<>())
                        .complete(parts[2]);
        }
    }

    private void signal(Signal signal) {
        config.signals().accept(signal);
    }

    private TenureId own(String number) {
        return new TenureId(config.client().id(), Long.parseLong(number));
    }

    private Signal assigned(String[] parts) {
        return new Signal.Assigned(
                layout.name(parts[6]),
                own(parts[1]),
                Reply.tokens(Long.parseLong(parts[2]), Long.parseLong(parts[3])),
                Integer.parseInt(parts[4]),
                Long.parseLong(parts[5]),
                run());
    }

    private void asked(String number, String asker, String name) {
        config.describer().apply(name).ifPresent(hold -> {
            String text = hold.tenure().number() + " " + hold.since() + " " + hold.token() + " " + hold.owner();
            CompletionStage<Long> unused = tell(asker, "S " + number + " " + text);
        });
    }

    @CanIgnoreReturnValue
    Platform.Task after(long nanos, Runnable task) {
        return timer.schedule(nanos, task);
    }

    /** Lets both connections go, while their threads still run. */
    CompletionStage<Void> disconnect() {
        return client.shutdownAsync(0, CLOSE_SECONDS, TimeUnit.SECONDS);
    }

    void close() {
        timer.close();
        resources.shutdown(0, CLOSE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
        resources.timer().stop();
    }
}
