package io.holdfast.redis.connection;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The answers of a master that may have been replaced while it did not answer, under Sentinels or in a cluster.
 *
 * <p>A master may stand still for longer than the Sentinels wait, and then go on. It does not know that there is another one, and
 * confirms what it was asked to renew. So after an answer that took half a command timeout, all answers of its connection are held
 * back until a Sentinel, or another master of the cluster, has named it again. If these name another one, the answers fail. If none
 * of these answers within half of the time for which the caller still waits, they count; within half a command timeout if it does
 * not wait any more. A master that was found replaced counts no more on this connection.
 */
public final class MasterCheck {

    private static final CompletionStage<Boolean> IS_MASTER = CompletableFuture.completedStage(true);

    private final Platform platform;
    private final Platform.Timer timer;
    private final long slowNanos;
    private final Function<Duration, CompletionStage<Boolean>> hasMoved;
    private final Supplier<StoreException> replaced;
    private final Runnable lost;
    private final ReentrantLock mutex = new ReentrantLock();

    /** The last check, which has found the master if it is done. Guarded by the mutex. */
    private CompletionStage<Boolean> check = IS_MASTER;

    /**
     * Creates the check of one connection.
     *
     * @param slow the time from which an answer is slow: half the time for which a caller waits
     * @param hasMoved asks the Sentinels, or other masters, for the given time; its result is {@code true} if those that have answered
     *     by then name another server, and it never fails
     * @param replaced returns the failure of an answer if they do
     * @param lost is called if they do
     */
    MasterCheck(
            Platform platform,
            Platform.Timer timer,
            Duration slow,
            Function<Duration, CompletionStage<Boolean>> hasMoved,
            Supplier<StoreException> replaced,
            Runnable lost) {
        this.platform = platform;
        this.timer = timer;
        slowNanos = slow.toNanos();
        this.hasMoved = hasMoved;
        this.replaced = replaced;
        this.lost = lost;
    }

    /** Returns {@code false} while a check is under way, and if it has found another master. */
    public boolean counts() {
        mutex.lock();
        try {
            return check.toCompletableFuture().getNow(false);
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Sends a request, and returns its answer as soon as it counts.
     *
     * @param check the check of the connection; empty if its server has no Sentinels, and belongs to no cluster
     */
    public static <T> CompletionStage<T> counted(Optional<MasterCheck> check, Supplier<CompletionStage<T>> request) {
        return check.isPresent() ? check.get().counted(request) : request.get();
    }

    /** Sends a request, and returns its answer as soon as it counts. */
    <T> CompletionStage<T> counted(Supplier<? extends CompletionStage<T>> request) {
        long sent = platform.nanoTime();
        CompletableFuture<T> counted = new CompletableFuture<>();
        request.get()
                .whenComplete((value, error) -> checked(sent).thenAccept(isMaster -> {
                    if (!isMaster) {
                        counted.completeExceptionally(replaced.get());
                    } else if (error != null) {
                        counted.completeExceptionally(error);
                    } else {
                        counted.complete(value);
                    }
                }));
        return counted;
    }

    private CompletionStage<Boolean> checked(long sent) {
        long took = platform.nanoTime() - sent;
        CompletableFuture<Boolean> begun;
        mutex.lock();
        try {
            boolean isFound = check.toCompletableFuture().getNow(false);
            if (took < slowNanos || !isFound) {
                return check;
            }
            begun = new CompletableFuture<>();
            check = begun;
        } finally {
            mutex.unlock();
        }
        long left = 2 * slowNanos - took;
        begin(begun, left > 0 ? left / 2 : slowNanos);
        return begun;
    }

    private void begin(CompletableFuture<Boolean> begun, long limit) {
        hasMoved.apply(Duration.ofNanos(limit)).thenAccept(moved -> {
            if (moved) {
                lost.run();
            }
            begun.complete(!moved);
        });
        // a Sentinel that does not answer must not hold the answers of the master back
        timer.schedule(limit, () -> begun.complete(true));
    }
}
