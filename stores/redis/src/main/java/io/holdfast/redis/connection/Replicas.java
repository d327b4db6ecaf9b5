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
import java.time.Duration;
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
 * Runs scripts whose effect counts only when it is on replicas or disks.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A WAIT follows the answer of each script that it confirms, on the same connection. On another connection, the answer
 *       to the WAIT could come from the new master after a failover, which never saw the script.
 *   <li>At most one WAIT is under way on a connection. The next WAIT covers all scripts that were answered in the meantime.
 *   <li>A requested WAIT is always sent, either by the thread that requests it, or at the end of the previous WAIT (no lost
 *       wake-up).
 * </ol>
 *
 * <p>WAIT and WAITAOF block everything behind them on their connection. So these scripts have a separate connection, and no other
 * request waits for them. A script may queue behind a first WAIT, and may be answered when a second one is already under way.
 * So a script waits for three WAITs at most. The sum of their time limits is less than the command timeout.
 *
 * <p>If too few replicas or disks have an effect in time, its outcome is unconfirmed. It stays at the master, and is requested
 * again or released.
 *
 * <p>A server with fewer replicas than required can grant nothing. The number of replicas is read when a connection is made, and
 * with each heartbeat. If there are too few at the first check, acquires are refused at once. Later, for example after a
 * failover, replicas may need time to follow the new master. So acquires are then refused only after {@value #GRACE_SECONDS} s
 * with too few. Renewals are always sent, because their answers report losses. If the user may not read the number, nothing is
 * refused.
 *
 * <p>A server that cannot report which writes are on its disk receives no requests. It is checked when a connection is made, and
 * with each heartbeat. If the user may read the setting, a server whose {@code appendfsync} is not {@code always} receives none
 * either. With {@code everysec}, some servers report data on the disk that is not there (<a
 * href="https://github.com/redis/redis/pull/13793">redis#13793</a>).
 *
 * <p>See <a href="https://redis.io/docs/latest/commands/wait/">WAIT</a> and <a
 * href="https://redis.io/docs/latest/commands/waitaof/">WAITAOF</a>.
 */
public final class Replicas {

    private static final long GRACE_SECONDS = 10;
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(GRACE_SECONDS);
    private static final Pattern CONNECTED = Pattern.compile("connected_slaves:(\\d{1,9})");

    private final Platform platform;
    private final Safety safety;
    private final Duration command;
    private final RedisFailures failures;
    private final Connector connector;
    private final long limitMillis;
    private final Reconnecting<Link> current;

    /**
     * The last time with enough replicas. All connections share it, so that a connection that flaps does not extend the grace
     * period.
     */
    private volatile long lastEnough;

    /** The disk and the number of replicas that have the effects of all scripts that were answered on a connection before. */
    private record Reached(boolean disk, long replicas) {}

    public Replicas(StoreConfig config, RedisFailures failures, Connector connector, Platform.Timer timer) {
        platform = config.platform();
        safety = config.safety();
        command = config.commandTimeout();
        this.failures = failures;
        this.connector = connector;
        limitMillis = Math.max(1, config.commandTimeout().multipliedBy(3).toMillis() / 10);
        // a master that is found later may have been promoted, and its replicas may still be connecting
        boolean promoted = failures.server().isCluster() && config.lazy();
        lastEnough = platform.nanoTime() - (promoted ? 0 : GRACE_NANOS);
        current = new Reconnecting<>(
                config.platform(), timer, this::open, Link::up, link -> connector.close(link.connection));
    }

    private CompletionStage<Link> open() {
        return connector.<StatefulRedisConnection<String, String>, Link>connect(
                (client, uri) -> client.connectAsync(ExactUtf8.CODEC, uri), (made, uri) -> {
                    Link link = new Link(made, uri);
                    return link.checked().thenApply(checked -> link);
                });
    }

    /** Returns the reason why this server has too few replicas; empty if it has enough. Fails if it does not answer. */
    private CompletionStage<Optional<StoreException>> shortage(StatefulRedisConnection<String, String> made) {
        return made.async()
                .info("replication")
                .handle((info, hidden) ->
                        answeredError(info, hidden).isPresent() ? Optional.empty() : tooFew(CONNECTED.matcher(info)));
    }

    private Optional<StoreException> tooFew(Matcher connected) {
        return connected.find() && Integer.parseInt(connected.group(1)) < safety.replicas()
                ? Optional.of(failures.tooFewReplicas(safety, connected.group(1)))
                : Optional.empty();
    }

    /** Returns the reason why reports about the disk are unreliable; empty if they are not. Fails if there is no answer. */
    private CompletionStage<Optional<StoreException>> diskRefusal(StatefulRedisConnection<String, String> made) {
        return waitForDisks(made, 0, 1)
                .handle(Replicas::answeredError)
                .thenCompose(error -> error.isPresent()
                        ? refusalFor(error.get())
                        // a setting that is hidden from this user counts as right
                        : made.async()
                                .configGet("appendfsync")
                                .handle((config, hidden) ->
                                        answeredError(config, hidden).isPresent()
                                                ? Optional.empty()
                                                : failures.notDurable(safety, config)));
    }

    /**
     * Returns the reason that the error gives. Fails with the error if it is about something else, such as a demotion.
     */
    private CompletionStage<Optional<StoreException>> refusalFor(Throwable error) {
        Optional<StoreException> refusal = failures.notDurable(safety, error);
        return refusal.isPresent() ? CompletableFuture.completedStage(refusal) : CompletableFuture.failedStage(error);
    }

    private static Optional<Throwable> answeredError(@Nullable Object reply, @Nullable Throwable error) {
        if (error != null && !RedisFailures.isAnswer(error)) {
            throw new CompletionException(error);
        }
        return Optional.ofNullable(error);
    }

    /** Fails if this server cannot provide the safety level. */
    public CompletionStage<Void> requireSafety() {
        return current.get()
                .exceptionallyCompose(error -> CompletableFuture.failedStage(failures.unreachable("connect", error)))
                .thenAccept(link -> link.refusal.or(() -> link.shortage).ifPresent(refusal -> {
                    throw refusal;
                }));
    }

    /**
     * Runs a script. Fails if it granted something, and too few replicas or disks confirm that in time.
     *
     * @param acquires {@code true} to refuse the script while there are too few replicas
     */
    public <T> CompletionStage<T> run(
            boolean acquires,
            Supplier<String> what,
            Function<StatefulRedisConnection<String, String>, CompletionStage<T>> script) {
        return current.get(command)
                .exceptionallyCompose(error -> CompletableFuture.failedStage(failures.unreachable(what.get(), error)))
                .thenCompose(link -> link.refusal(acquires)
                        .<CompletionStage<T>>map(CompletableFuture::failedStage)
                        .orElseGet(() -> MasterCheck.counted(link.masterCheck, () -> script.apply(link.connection))
                                .thenCompose(reply -> grantsNothing(reply)
                                        ? CompletableFuture.completedStage(reply)
                                        : link.reached()
                                                .handle((reached, error) -> confirmed(what, reply, reached, error)))));
    }

    /** Returns {@code true} if the reply is known to grant nothing. A reply of an unknown type may grant something. */
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

    private CompletionStage<Reached> sendWait(StatefulRedisConnection<String, String> made) {
        return safety.onDisk()
                ? waitForDisks(made, safety.replicas(), limitMillis)
                : made.async()
                        .waitForReplication(safety.replicas(), limitMillis)
                        .thenApply(count -> new Reached(true, count));
    }

    /** Sends WAITAOF, in a form that all supported versions of the driver have. */
    private static CompletionStage<Reached> waitForDisks(
            StatefulRedisConnection<String, String> made, int replicas, long millis) {
        CommandArgs<String, String> args =
                new CommandArgs<>(StringCodec.ASCII).add(1).add(replicas).add(millis);
        return made.async()
                .dispatch(new Command("WAITAOF"), new ArrayOutput<>(StringCodec.ASCII), args)
                .thenApply(counts -> new Reached((long) counts.get(0) > 0, (long) counts.get(1)));
    }

    /** A command that the driver does not know. */
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

    /** Reports that a connection is unusable. Does nothing if it is not the present one. */
    public void lost(StatefulRedisConnection<?, ?> connection) {
        current.now().filter(link -> link.connection == connection).ifPresent(current::lost);
    }

    /** Reports that the present connection is unusable. */
    public void lost() {
        current.now().ifPresent(current::lost);
    }

    public void close() {
        current.close();
    }

    /** Stops making connections, and closes the present one. */
    public void disconnect() {
        var last = current.now();
        close();
        last.ifPresent(link -> connector.close(link.connection));
    }

    /** A connection, and the WAITs on it. */
    private final class Link {

        final StatefulRedisConnection<String, String> connection;
        volatile Optional<StoreException> refusal = Optional.empty();
        volatile Optional<StoreException> shortage = Optional.empty();
        private final RedisURI uri;
        private final Optional<MasterCheck> masterCheck;
        private final AtomicBoolean underWay = new AtomicBoolean();
        private final AtomicReference<Turn> next = new AtomicReference<>(new Turn());

        Link(StatefulRedisConnection<String, String> connection, RedisURI uri) {
            this.connection = connection;
            this.uri = uri;
            masterCheck = connector.masterCheck(uri, () -> current.lost(this));
        }

        void up() {
            connector.monitor(
                    connection, uri, () -> checked().handle((done, error) -> error == null), () -> current.lost(this));
        }

        /** Checks whether the server can provide the safety level. */
        CompletionStage<Void> checked() {
            CompletionStage<Void> disk = safety.onDisk()
                    ? diskRefusal(connection).thenAccept(found -> refusal = found)
                    : CompletableFuture.completedStage(null);
            return safety.replicas() == 0
                    ? disk
                    : disk.thenCompose(done -> shortage(connection)).thenAccept(this::recordShortage);
        }

        private void recordShortage(Optional<StoreException> found) {
            lastEnough = found.isEmpty() ? platform.nanoTime() : lastEnough;
            shortage = found;
        }

        /** Returns the reason why a script must not be run now; empty if it may. */
        Optional<StoreException> refusal(boolean acquires) {
            boolean inGrace = platform.nanoTime() - lastEnough < GRACE_NANOS;
            return refusal.isPresent() || !acquires || inGrace ? refusal : shortage;
        }

        /** Returns the disk and the replicas that have the effects of all scripts that were answered before this call. */
        CompletionStage<Reached> reached() {
            Turn turn = Objects.requireNonNull(next.get());
            turn.requested = true;
            sendNext();
            return turn.reached;
        }

        private void sendNext() {
            if (underWay.compareAndSet(false, true)) {
                Turn turn = Objects.requireNonNull(next.getAndSet(new Turn()));
                sendWait(connection).whenComplete((reached, error) -> complete(turn, reached, error));
            }
        }

        private void complete(Turn turn, @Nullable Reached reached, @Nullable Throwable error) {
            underWay.set(false);
            // checked after the flag is cleared (lost wake-up): a turn that was requested before found the flag set
            if (Objects.requireNonNull(next.get()).requested) {
                sendNext();
            }
            if (reached != null) {
                turn.reached.complete(reached);
            } else {
                turn.reached.completeExceptionally(Objects.requireNonNull(error));
            }
        }
    }

    /** One WAIT, and all requests that wait for it. */
    private static final class Turn {

        final CompletableFuture<Reached> reached = new CompletableFuture<>();
        volatile boolean requested;
    }
}
