package io.holdfast.support;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is made when it is first requested, and again whenever it is lost.
 *
 * <p>The driver must not reconnect by itself, and a lost connection is never used again. Otherwise the driver could resend a
 * request that had no answer when the connection was cut (late duplicate). By then, its caller may have given up.
 *
 * <p>While there is no connection, an attempt is made every 5 to 155 ms. The random part keeps many clients from connecting at
 * the same moment.
 *
 * <h2>Invariants</h2>
 * <ol>
 *   <li>At most one attempt to connect is under way or scheduled. The first {@link #get} starts it; after that, a failure or a
 *       loss starts the next one.
 *   <li>A loss is handled once for each connection, by the caller that replaces it by null.
 *   <li>No connection is in use after the close. An attempt checks the flag after it has set its connection. So either the
 *       close removes the connection, or the attempt sees the close, and closes the connection (close race).
 *   <li>Every {@code get} completes: the first ones with the first attempt or with the close, later ones at once. Every {@code
 *       open} completes with the first connection, after its time, with a refusal, or with the close.
 * </ol>
 *
 * @param <C> the type of the connection
 */
public final class Reconnecting<C> implements AutoCloseable {

    private static final long DELAY_NANOS = 5_000_000;
    private static final long SPREAD_NANOS = 150_000_000;

    /** A process that starts beside others may load classes for longer than it waits for a server. */
    private static final int COLD_START = 4;

    private final Platform platform;
    private final Platform.Timer timer;
    private final Supplier<CompletionStage<C>> connector;
    private final Consumer<C> up;
    private final Consumer<C> down;
    private final AtomicBoolean started = new AtomicBoolean();
    private final CompletableFuture<C> first = new CompletableFuture<>();
    private final CompletableFuture<C> opened = new CompletableFuture<>();
    private final AtomicReference<@Nullable C> current = new AtomicReference<>();
    private volatile Throwable failure = new IOException("none was made yet");
    private volatile Runnable onHeard = () -> {};
    private volatile boolean closed;

    /**
     * Creates a holder of a connection, which is made when it is first requested.
     *
     * @param connector makes a connection; an exception counts as a failed attempt
     * @param up is notified of each new connection; must not throw
     * @param down is notified of each lost connection, which it closes; runs on another thread than the caller of {@link #lost}
     */
    public Reconnecting(
            Platform platform,
            Platform.Timer timer,
            Supplier<CompletionStage<C>> connector,
            Consumer<C> up,
            Consumer<C> down) {
        this.platform = platform;
        this.timer = timer;
        this.connector = connector;
        this.up = up;
        this.down = down;
    }

    /** Returns the connection. The first call makes it and waits for it. Later calls fail at once while there is none. */
    public CompletionStage<C> get() {
        // race: the first attempt may complete between the two reads, so its state is read before the connection
        boolean tried = first.isDone();
        C open = current.get();
        if (open != null) {
            return CompletableFuture.completedStage(open);
        }
        if (started.compareAndSet(false, true)) {
            connect();
        }
        return tried ? CompletableFuture.failedStage(failure) : first.minimalCompletionStage();
    }

    /**
     * As {@link #get()}, for a request that must not be sent after the given time, because its caller has given up by then. Fails
     * if the first connection is made later.
     */
    public CompletionStage<C> get(Duration atMost) {
        long asked = platform.nanoTime();
        return now().<CompletionStage<C>>map(CompletableFuture::completedStage)
                .orElseGet(() -> get().thenApply(made -> {
                    if (platform.nanoTime() - asked > atMost.toNanos()) {
                        throw new StoreException(
                                Effect.NOT_APPLIED,
                                "the first connection was made after more than " + atMost.toMillis() + " ms");
                    }
                    return made;
                }));
    }

    /**
     * Returns the first connection, and makes it. A failed attempt is followed by others until the given time has passed, except
     * if the servers have refused, or if nothing listens at the first attempt. The time begins when something is {@linkplain #heard heard} of a server. Until then, the process
     * may be loading classes. After four times that time it fails in any case.
     *
     * @return a stage that fails with the last failure
     */
    public CompletionStage<C> open(Duration atMost) {
        AtomicBoolean heard = new AtomicBoolean();
        onHeard = () -> {
            if (heard.compareAndSet(false, true)) {
                giveUpAfter(atMost);
            }
        };
        giveUpAfter(atMost.multipliedBy(COLD_START));
        var unused = get();
        return opened.minimalCompletionStage();
    }

    /** Reports that a server has answered, or that it cannot be reached. A server that is silent is not heard. */
    public void heard() {
        onHeard.run();
    }

    private void giveUpAfter(Duration time) {
        timer.schedule(time.toNanos(), () -> opened.completeExceptionally(late(time)));
    }

    private Exception late(Duration atMost) {
        String time = " within " + atMost.toMillis() + " ms";
        return Stages.cause(failure) instanceof StoreException last
                ? new StoreException(last.effect(), last.getMessage() + "; no attempt has succeeded" + time, last)
                : new IOException("no server has answered" + time, failure);
    }

    /** Returns the connection; empty while there is none. Does not make one. */
    public Optional<C> now() {
        return Optional.ofNullable(current.get());
    }

    private void connect() {
        if (closed) {
            return;
        }
        CompletionStage<C> attempt = CompletableFuture.completedStage(connector).thenCompose(Supplier::get);
        attempt.whenComplete((connected, error) -> {
            if (error != null) {
                failure = error;
                connectLater();
                boolean wasFirst = first.completeExceptionally(error);
                if (isRefusal(error) || (wasFirst && NothingListens.isCauseOf(error))) {
                    opened.completeExceptionally(error);
                }
                return;
            }
            current.set(connected);
            // close race: the flag is read after the connection is set
            if (closed) {
                current.set(null);
                down.accept(connected);
            } else {
                up.accept(connected);
                first.complete(connected);
                opened.complete(connected);
            }
        });
    }

    private static boolean isRefusal(Throwable error) {
        return Stages.cause(error) instanceof StoreException known && known.effect() == Effect.REFUSED;
    }

    private void connectLater() {
        if (!closed) {
            timer.schedule(DELAY_NANOS + Math.floorMod(platform.randomLong(), SPREAD_NANOS), this::connect);
        }
    }

    /** Reports that a connection was lost or is no longer usable. Does nothing if it is not the present connection. */
    public void lost(Object connection) {
        C last = current.get();
        if (last != null && last == connection && current.compareAndSet(last, null)) {
            failure = new IOException("the last one was lost, and the next one is being made");
            timer.schedule(0, () -> down.accept(last));
            connectLater();
        }
    }

    /** Stops making connections. Does not close the present connection. */
    @Override
    public void close() {
        closed = true;
        failure = new IOException("it is closed");
        current.set(null);
        first.completeExceptionally(failure);
        opened.completeExceptionally(failure);
    }
}
