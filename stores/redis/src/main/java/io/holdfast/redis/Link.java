package io.holdfast.redis;

import io.holdfast.spi.StoreConfig;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one connection: makes it when first asked to, and anew whenever it is lost.
 *
 * <p>Each connection is used once. Lettuce could connect the same one again by itself, but would then send once more what
 * had no answer when it was cut. A copy of a request that nobody waits for any longer must not be made.
 */
final class Link<C extends StatefulRedisConnection<String, String>> implements RedisConnectionStateListener {

    private static final long DELAY_NANOS = 5_000_000;
    private static final long SPREAD_NANOS = 150_000_000;

    private final Supplier<CompletionStage<C>> maker;
    private final Session session;
    private final StoreConfig config;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final CompletableFuture<C> first = new CompletableFuture<>();
    private final AtomicReference<@Nullable C> connection = new AtomicReference<>();
    private volatile Throwable failure = new IOException("there was none yet");

    Link(Supplier<CompletionStage<C>> maker, Session session, StoreConfig config) {
        this.maker = maker;
        this.session = session;
        this.config = config;
    }

    /** The connection. The first call makes it, and waits for it; later ones fail at once while there is none. */
    CompletionStage<C> get() {
        // looked at before the connection, which may be made in between
        boolean tried = first.isDone();
        C current = connection.get();
        if (current != null && current.isOpen()) {
            return CompletableFuture.completedStage(current);
        }
        if (begun.compareAndSet(false, true)) {
            connect();
        }
        return tried ? CompletableFuture.failedStage(failure) : first;
    }

    private void connect() {
        // what the maker throws counts as a failure, too: the next attempt must not be lost
        CompletionStage<C> attempt = CompletableFuture.completedStage(maker)
                .thenCompose(Supplier::get)
                .thenCompose(made -> answering(made, new CompletableFuture<>()));
        attempt.whenComplete((made, error) -> {
            if (error == null) {
                made.addListener(this);
                connection.set(made);
                session.up();
                beat(made, false);
                first.complete(made);
            } else {
                failure = error;
                connectLater();
                first.completeExceptionally(error);
            }
        });
    }

    /** A server that is loading its data has no answer yet; and Lettuce 7 may be too early with a connection. */
    private CompletionStage<C> answering(C made, CompletableFuture<C> ready) {
        CompletionStage<String> answer = made.async().ping();
        answer.whenComplete((pong, error) -> {
            if (error == null) {
                ready.complete(made);
            } else if (made.isOpen() && String.valueOf(error.getMessage()).startsWith("Currently not connected")) {
                session.after(DELAY_NANOS, () -> answering(made, ready));
            } else {
                end(made);
                ready.completeExceptionally(error);
            }
        });
        return ready;
    }

    private void connectLater() {
        session.after(DELAY_NANOS + Math.floorMod(config.platform().randomLong(), SPREAD_NANOS), this::connect);
    }

    /** Pings in each interval, so that a dead connection has an answer to miss; gives up one that does not serve. */
    private void beat(C made, boolean deaf) {
        if (!made.isOpen() || deaf) {
            lost(made);
        } else if (connection.get() == made) {
            RedisFuture<String> unused = made.async().ping();
            session.after(config.commandTimeout().toNanos(), () -> beat(made, session.isDeaf()));
        }
    }

    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> gone) {
        C current = connection.get();
        if (current == gone) {
            lost(current);
        }
    }

    private void lost(C made) {
        if (connection.compareAndSet(made, null)) {
            failure = new IOException("the last one was lost, and another is being made");
            session.down();
            session.after(0, () -> end(made));
            connectLater();
        }
    }

    private void end(C made) {
        CompletionStage<Void> unused = made.closeAsync();
    }
}
