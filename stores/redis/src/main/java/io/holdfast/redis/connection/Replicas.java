package io.holdfast.redis.connection;

import io.holdfast.Safety;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.support.Reconnecting;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts so that their effect counts only when replicas, or disks, have it.
 *
 * <p>The command for that, WAIT or WAITAOF, blocks what comes behind it on its connection; so these scripts have a connection
 * of their own, and nobody else waits with them. It tells how many replicas have all that had been
 * written when the command before it on its connection was done. So it is sent after the answer of a script, and on the same connection: on another one it could
 * be the master after a failover that answers, which never saw the script. One WAIT is under way at a time; the next one
 * serves all whose scripts were answered meanwhile. A script may be sent behind a first WAIT, and be answered when the second has
 * begun for others. So three in a row are waited for at most, and all end within the time that a request has.
 *
 * <p>An effect that too few have in time is unknown: it stands at the master, and is asked for anew or given back.
 *
 * <p>A server with fewer replicas than are wanted cannot grant anything. So their number is asked for when a connection is made,
 * and with each of its beats. If they are too few at the first look, acquires are refused at once. Later, as after a failover, replicas
 * may take a while to follow the new master: acquires are refused when they have been too few for {@value #PATIENCE_SECONDS} s. Renewals
 * are sent in any case, since their answers tell of losses. If the user may not ask, nothing is refused.
 *
 * <p>A server that cannot say what its disk has is asked for nothing: that is found when it is connected to, and again with each
 * beat of that connection. Nor is one that writes to its disk once in a second, if its user may be told so: some of these say
 * that it is there when it is not (<a href="https://github.com/redis/redis/pull/13793">redis#13793</a>).
 *
 * <p>See <a href="https://redis.io/docs/latest/commands/wait/">WAIT</a> and <a
 * href="https://redis.io/docs/latest/commands/waitaof/">WAITAOF</a>.
 */
public final class Replicas {

    private static final long PATIENCE_SECONDS = 10;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    private static final Pattern CONNECTED = Pattern.compile("connected_slaves:(\\d{1,9})");

    private final Platform platform;
    private final Safety safety;
    private final RedisFailures failures;
    private final Connector connector;
    private final long limitMillis;
    private final Reconnecting<Line> current;

    /** Of all connections, so that one that flaps does not renew the patience. */
    private volatile long lastEnough;

    /** What has the effects of all that was answered on a connection before. */
    private record Reached(boolean disk, long replicas) {}

    public Replicas(
            StoreConfig config, RedisFailures failures, Connector connector, Platform.Timer timer) {
        platform = config.platform();
        safety = config.safety();
        this.failures = failures;
        this.connector = connector;
        limitMillis = Math.max(1, config.commandTimeout().multipliedBy(3).toMillis() / 10);
        // a master that a cluster names later was promoted: its replicas may be on their way
        boolean promoted = failures.server().isCluster() && config.lazy();
        lastEnough = platform.nanoTime() - (promoted ? 0 : PATIENCE_NANOS);
        current = new Reconnecting<>(
                config.platform(), timer, this::make, Line::up, line -> connector.down(line.connection));
    }

    private CompletionStage<Line> make() {
        return connector.<StatefulRedisConnection<String, String>, Line>connect(
                (client, uri) -> client.connectAsync(ExactUtf8.CODEC, uri), (made, uri) -> {
                    Line line = new Line(made, uri);
                    return line.judged().thenApply(judged -> line);
                });
    }

    /** Why this server can grant nothing now; empty if it can. Fails if it does not answer. */
    private CompletionStage<Optional<StoreException>> shortage(StatefulRedisConnection<String, String> made) {
        return made.async()
                .info("replication")
                .handle((info, hidden) ->
                        errorAnswered(info, hidden).isPresent() ? Optional.empty() : tooFew(CONNECTED.matcher(info)));
    }

    private Optional<StoreException> tooFew(Matcher connected) {
        return connected.find() && Integer.parseInt(connected.group(1)) < safety.replicas()
                ? Optional.of(failures.tooFewReplicas(safety, connected.group(1)))
                : Optional.empty();
    }

    /** Why nothing can be told by this server; empty if it can. Fails if it does not answer. */
    private CompletionStage<Optional<StoreException>> diskRefusal(StatefulRedisConnection<String, String> made) {
        return waitForDisks(made, 0, 1)
                .handle(Replicas::errorAnswered)
                .thenCompose(error -> error.isPresent()
                        ? verdict(error.get())
                        // what is hidden from this user counts as right
                        : made.async()
                                .configGet("appendfsync")
                                .handle((config, hidden) ->
                                        errorAnswered(config, hidden).isPresent()
                                                ? Optional.empty()
                                                : failures.notDurable(safety, config)));
    }

    /** Fails if it says nothing of what the server can do, as that it is no master any more. */
    private CompletionStage<Optional<StoreException>> verdict(Throwable error) {
        Optional<StoreException> refusal = failures.notDurable(safety, error);
        return refusal.isPresent() ? CompletableFuture.completedStage(refusal) : CompletableFuture.failedStage(error);
    }

    private static Optional<Throwable> errorAnswered(@Nullable Object reply, @Nullable Throwable error) {
        if (error != null && !RedisFailures.isAnswer(error)) {
            throw new CompletionException(error);
        }
        return Optional.ofNullable(error);
    }

    /** Fails if this server cannot do what is wanted. */
    public CompletionStage<Void> able() {
        return current.get()
                .exceptionallyCompose(error -> CompletableFuture.failedStage(failures.unreachable("connect", error)))
                .thenAccept(line -> line.refusal.or(() -> line.shortage).ifPresent(refusal -> {
                    throw refusal;
                }));
    }

    /**
     * Runs a script; fails if it granted something, and too few replicas have it in time.
     *
     * @param acquires whether it is not to be run while there are too few replicas
     */
    public <T> CompletionStage<T> run(
            boolean acquires,
            Supplier<String> what,
            Function<StatefulRedisConnection<String, String>, CompletionStage<T>> script) {
        return current.get()
                .exceptionallyCompose(error -> CompletableFuture.failedStage(failures.unreachable(what.get(), error)))
                .thenCompose(line -> line.refusal(acquires)
                        .<CompletionStage<T>>map(CompletableFuture::failedStage)
                        .orElseGet(() -> script.apply(line.connection)
                                .thenCompose(reply -> grantsNothing(reply)
                                        ? CompletableFuture.completedStage(reply)
                                        : line.reached()
                                                .handle((reached, error) -> confirmed(what, reply, reached, error)))));
    }

    /** What is not known for nothing may be something. */
    private static boolean grantsNothing(Object reply) {
        return reply instanceof List<?> all
                ? all.stream().allMatch(Replicas::grantsNothing)
                : reply instanceof Acquire.Refused
                        || reply instanceof Acquire.Late
                        || reply instanceof Renew.Lost
                        || reply instanceof Renew.Failed
                        || reply.equals(false);
    }

    private <T> T confirmed(Supplier<String> what, T reply, @Nullable Reached reached, @Nullable Throwable error) {
        if (reached == null) {
            throw failures.notConfirmed(what.get(), Objects.requireNonNull(error));
        }
        if (!reached.disk) {
            throw failures.notWritten(what.get(), limitMillis);
        }
        if (reached.replicas < safety.replicas()) {
            throw failures.notReplicated(what.get(), reached.replicas, safety, limitMillis);
        }
        return reply;
    }

    private CompletionStage<Reached> ask(StatefulRedisConnection<String, String> made) {
        return safety.onDisk()
                ? waitForDisks(made, safety.replicas(), limitMillis)
                : made.async()
                        .waitForReplication(safety.replicas(), limitMillis)
                        .thenApply(count -> new Reached(true, count));
    }

    /** In a form that all versions of the driver have. */
    private static CompletionStage<Reached> waitForDisks(
            StatefulRedisConnection<String, String> made, int replicas, long millis) {
        CommandArgs<String, String> args =
                new CommandArgs<>(StringCodec.ASCII).add(1).add(replicas).add(millis);
        return made.async()
                .dispatch(new Command("WAITAOF"), new ArrayOutput<>(StringCodec.ASCII), args)
                .thenApply(counts -> new Reached((long) counts.get(0) > 0, (long) counts.get(1)));
    }

    /** A command that the driver has no name for. */
    private record Command(String word) implements ProtocolKeyword {

        @Override
        public byte[] getBytes() {
            return word.getBytes(StandardCharsets.US_ASCII);
        }

        @Override
        public String toString() {
            return word;
        }
    }

    /** The connection, if it is this one, is of no use any more. */
    public void lost(StatefulRedisConnection<?, ?> connection) {
        current.now().filter(line -> line.connection == connection).ifPresent(current::lost);
    }

    /** The present connection is of no use any more. */
    public void lost() {
        current.now().ifPresent(current::lost);
    }

    public void close() {
        current.close();
    }

    /** Ends the connection, too. */
    public void leave() {
        var last = current.now();
        close();
        last.ifPresent(line -> connector.down(line.connection));
    }

    /** A connection, and the WAITs on it. */
    private final class Line {

        final StatefulRedisConnection<String, String> connection;
        volatile Optional<StoreException> refusal = Optional.empty();
        volatile Optional<StoreException> shortage = Optional.empty();
        private final RedisURI place;
        private final AtomicBoolean underWay = new AtomicBoolean();
        private final AtomicReference<Turn> next = new AtomicReference<>(new Turn());

        Line(StatefulRedisConnection<String, String> connection, RedisURI place) {
            this.connection = connection;
            this.place = place;
        }

        void up() {
            connector.keepWatch(
                    connection, place, () -> judged().handle((done, error) -> error == null), () -> current.lost(this));
        }

        /** Looks whether the server can do what is wanted. */
        CompletionStage<Void> judged() {
            CompletionStage<Void> disk = safety.onDisk()
                    ? diskRefusal(connection).thenAccept(found -> refusal = found)
                    : CompletableFuture.completedStage(null);
            return safety.replicas() == 0
                    ? disk
                    : disk.thenCompose(done -> shortage(connection)).thenAccept(this::counted);
        }

        private void counted(Optional<StoreException> found) {
            lastEnough = found.isEmpty() ? platform.nanoTime() : lastEnough;
            shortage = found;
        }

        /** Why a script is not to be run now; empty if it is. */
        Optional<StoreException> refusal(boolean acquires) {
            boolean patient = platform.nanoTime() - lastEnough < PATIENCE_NANOS;
            return refusal.isPresent() || !acquires || patient ? refusal : shortage;
        }

        /** What has all that was answered before. */
        CompletionStage<Reached> reached() {
            Turn mine = Objects.requireNonNull(next.get());
            mine.wanted = true;
            begin();
            return mine.reached;
        }

        private void begin() {
            if (underWay.compareAndSet(false, true)) {
                Turn turn = Objects.requireNonNull(next.getAndSet(new Turn()));
                ask(connection).whenComplete((reached, error) -> end(turn, reached, error));
            }
        }

        private void end(Turn turn, @Nullable Reached reached, @Nullable Throwable error) {
            underWay.set(false);
            // looked at after the flag is down: who came while it was up did not begin
            if (Objects.requireNonNull(next.get()).wanted) {
                begin();
            }
            if (reached != null) {
                turn.reached.complete(reached);
            } else {
                turn.reached.completeExceptionally(Objects.requireNonNull(error));
            }
        }
    }

    /** One WAIT, and all who wait for it. */
    private static final class Turn {

        final CompletableFuture<Reached> reached = new CompletableFuture<>();
        volatile boolean wanted;
    }
}
