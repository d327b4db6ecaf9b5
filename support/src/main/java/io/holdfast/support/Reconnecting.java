package io.holdfast.support;

import io.holdfast.spi.Platform;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is made when it is first asked for, and made again whenever it is lost.
 *
 * <p>Each connection is used once. A driver that connects the same one again by itself may send once more what had no
 * answer when it was cut; but a copy of a request that nobody waits for any longer must not be made.
 *
 * <p>While there is none, an attempt is made every 5 to 155 ms, so that many clients do not come at once.
 *
 * @param <C> a connection
 */
public final class Reconnecting<C> implements AutoCloseable {

    private static final long DELAY_NANOS = 5_000_000;
    private static final long SPREAD_NANOS = 150_000_000;

    private final Platform platform;
    private final Platform.Timer timer;
    private final Supplier<CompletionStage<C>> maker;
    private final Consumer<C> up;
    private final Consumer<C> down;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final CompletableFuture<C> first = new CompletableFuture<>();
    private final AtomicReference<@Nullable C> current = new AtomicReference<>();
    private volatile Throwable failure = new IOException("there was none yet");
    private volatile boolean closed;

    /**
     * Keeps a connection, as soon as it is asked for.
     *
     * @param maker connects; what it throws counts as a failed attempt
     * @param up told of each new connection; must not throw
     * @param down told of each connection that was lost, not on the thread that reports it; closes it
     */
    public Reconnecting(
            Platform platform,
            Platform.Timer timer,
            Supplier<CompletionStage<C>> maker,
            Consumer<C> up,
            Consumer<C> down) {
        this.platform = platform;
        this.timer = timer;
        this.maker = maker;
        this.up = up;
        this.down = down;
    }

    /** The connection. The first call makes it, and waits for it; later ones fail at once while there is none. */
    public CompletionStage<C> get() {
        // looked at before the connection, which may be made in between
        boolean tried = first.isDone();
        C open = current.get();
        if (open != null) {
            return CompletableFuture.completedStage(open);
        }
        if (begun.compareAndSet(false, true)) {
            connect();
        }
        return tried ? CompletableFuture.failedStage(failure) : first.minimalCompletionStage();
    }

    /** The connection; empty while there is none. Makes none. */
    public Optional<C> now() {
        return Optional.ofNullable(current.get());
    }

    private void connect() {
        if (closed) {
            return;
        }
        CompletionStage<C> attempt = CompletableFuture.completedStage(maker).thenCompose(Supplier::get);
        attempt.whenComplete((made, error) -> {
            if (error != null) {
                failure = error;
                connectLater();
                first.completeExceptionally(error);
                return;
            }
            current.set(made);
            // looked at after the connection is set, as it may be closed in between
            if (closed) {
                current.set(null);
                down.accept(made);
            } else {
                up.accept(made);
                first.complete(made);
            }
        });
    }

    private void connectLater() {
        if (!closed) {
            timer.schedule(DELAY_NANOS + Math.floorMod(platform.randomLong(), SPREAD_NANOS), this::connect);
        }
    }

    /** The connection was lost, or is of no use any more; nothing happens if it is not the present one. */
    public void lost(Object connection) {
        C last = current.get();
        if (last != null && last == connection && current.compareAndSet(last, null)) {
            failure = new IOException("the last one was lost, and another is being made");
            timer.schedule(0, () -> down.accept(last));
            connectLater();
        }
    }

    /** Makes no other connection; whoever has the present one closes it. */
    @Override
    public void close() {
        closed = true;
        failure = new IOException("it is closed");
        current.set(null);
        first.completeExceptionally(failure);
    }
}
