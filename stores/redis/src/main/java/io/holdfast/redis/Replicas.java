package io.holdfast.redis;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreConfig;
import io.holdfast.support.Kept;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts so that their effect counts only when replicas have it.
 *
 * <p>The command for that, WAIT, blocks what comes behind it on its connection; so these scripts have a connection of their
 * own, and nobody else waits with them. It tells how many replicas have all that had been written when the command before it
 * on its connection was done. So it is sent after the answer of a script, and on the same connection: on another one it could
 * be the master after a failover that answers, which never saw the script. One WAIT is under way at a time; the next one
 * serves all whose scripts were answered meanwhile. So two in a row are waited for at most, and both end within the time that a
 * request has.
 *
 * <p>An effect that too few replicas have in time is unknown: it stands at the master, and is asked for anew or given back.
 *
 * <p>See <a href="https://redis.io/docs/latest/commands/wait/">WAIT</a>.
 */
final class Replicas {

    private final StoreConfig config;
    private final Failures failures;
    private final Connector connector;
    private final long limitMillis;
    private final Kept<Line> kept;

    Replicas(StoreConfig config, Failures failures, Connector connector, Platform.Timer timer) {
        this.config = config;
        this.failures = failures;
        this.connector = connector;
        limitMillis = Math.max(1, config.commandTimeout().multipliedBy(2).toMillis() / 5);
        kept = new Kept<>(config.platform(), timer, this::make, Line::up, line -> connector.down(line.connection));
    }

    private CompletionStage<Line> make() {
        return connector
                .<StatefulRedisConnection<String, String>>connect(
                        (client, uri) -> client.connectAsync(ExactUtf8.CODEC, uri),
                        (made, uri) -> CompletableFuture.completedStage(made))
                .thenApply(Line::new);
    }

    /** Runs a script; fails if it granted something, and too few replicas have it in time. */
    <T> CompletionStage<T> run(
            Supplier<String> what, Function<StatefulRedisConnection<String, String>, CompletionStage<T>> script) {
        return kept.get()
                .exceptionallyCompose(error -> CompletableFuture.failedStage(failures.unreachable(what.get(), error)))
                .thenCompose(line -> script.apply(line.connection)
                        .thenCompose(reply -> grantsNothing(reply)
                                ? CompletableFuture.completedStage(reply)
                                : line.replicas().handle((count, error) -> confirmed(what, reply, count, error))));
    }

    private static boolean grantsNothing(Object reply) {
        return reply instanceof List<?> all
                ? all.stream().allMatch(Replicas::grantsNothing)
                : !(reply instanceof Acquire.Granted || reply instanceof Renew.Renewed);
    }

    private <T> T confirmed(Supplier<String> what, T reply, @Nullable Long count, @Nullable Throwable error) {
        if (count == null) {
            throw failures.notConfirmed(what.get(), Objects.requireNonNull(error));
        }
        int wanted = config.safety().replicas();
        if (count < wanted) {
            throw failures.notReplicated(what.get(), count, wanted, limitMillis);
        }
        return reply;
    }

    /** The connection, if it is this one, is of no use any more. */
    void lost(StatefulRedisConnection<?, ?> connection) {
        kept.now().filter(line -> line.connection == connection).ifPresent(kept::lost);
    }

    /** The present connection is of no use any more. */
    void lost() {
        kept.now().ifPresent(kept::lost);
    }

    void close() {
        kept.close();
    }

    /** Ends the connection, too. */
    void leave() {
        var last = kept.now();
        close();
        last.ifPresent(line -> connector.down(line.connection));
    }

    /** A connection, and the WAITs on it. */
    private final class Line {

        final StatefulRedisConnection<String, String> connection;
        private final AtomicBoolean underWay = new AtomicBoolean();
        private final AtomicReference<Turn> next = new AtomicReference<>(new Turn());

        Line(StatefulRedisConnection<String, String> connection) {
            this.connection = connection;
        }

        void up() {
            connector.keepWatch(
                    connection, () -> replicas().handle((count, error) -> error == null), () -> kept.lost(this));
        }

        /** How many replicas have what was answered before. */
        CompletionStage<Long> replicas() {
            Turn mine = Objects.requireNonNull(next.get());
            mine.wanted = true;
            begin();
            return mine.count;
        }

        private void begin() {
            if (underWay.compareAndSet(false, true)) {
                Turn turn = Objects.requireNonNull(next.getAndSet(new Turn()));
                connection
                        .async()
                        .waitForReplication(config.safety().replicas(), limitMillis)
                        .whenComplete((count, error) -> end(turn, count, error));
            }
        }

        private void end(Turn turn, @Nullable Long count, @Nullable Throwable error) {
            underWay.set(false);
            // looked at after the flag is down: who came while it was up did not begin
            if (Objects.requireNonNull(next.get()).wanted) {
                begin();
            }
            if (count != null) {
                turn.count.complete(count);
            } else {
                turn.count.completeExceptionally(Objects.requireNonNull(error));
            }
        }
    }

    /** One WAIT, and all who wait for it. */
    private static final class Turn {

        final CompletableFuture<Long> count = new CompletableFuture<>();
        volatile boolean wanted;
    }
}
