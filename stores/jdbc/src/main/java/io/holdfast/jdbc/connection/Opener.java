package io.holdfast.jdbc.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * An opener of connections with a time limit. A driver may wait forever for a process that is stopped. So the opener opens all
 * connections on one thread of its own.
 */
public final class Opener implements AutoCloseable {

    private static final String TIMEOUT = "HFDTO";
    private static final long IDLE_SECONDS = 5;

    private final ThreadPoolExecutor thread;
    private final Supplier<String> explanation;
    private volatile long limitMillis;
    private final CompletableFuture<Object> closed = new CompletableFuture<>();

    /** A call of a driver, which may take any time. */
    public interface Attempt<T> {
        /** Returns what the driver has returned. */
        T run() throws SQLException;
    }

    /**
     * Creates an opener.
     *
     * @param explanation explains why a time limit was reached
     */
    public Opener(ThreadFactory threads, long limitMillis, Supplier<String> explanation) {
        thread = new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        thread.allowCoreThreadTimeOut(true);
        this.limitMillis = limitMillis;
        this.explanation = explanation;
    }

    /** Returns a factory of daemon threads with a name. */
    public static ThreadFactory daemons(String name) {
        return task -> {
            // it inherits no thread-local value of its creator, by which an application may choose a database
            Thread thread = new Thread(null, task, name, 0, false);
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Changes the time limit of later calls. */
    void limit(long millis) {
        limitMillis = millis;
    }

    /**
     * Opens a connection within the time limit.
     *
     * @throws SQLException if the attempt throws it, if the time is up, or if this opener is closed
     */
    Connection open(Attempt<Connection> attempt) throws SQLException {
        return call(attempt, Opener::discard);
    }

    /**
     * Returns the result of a call that ends within the time limit.
     *
     * @param discard disposes of a result that comes too late
     * @throws SQLException if the attempt throws it, if the time is up, or if this opener is closed
     */
    public <T> T call(Attempt<T> attempt, Consumer<? super T> discard) throws SQLException {
        CompletableFuture<T> result = new CompletableFuture<>();
        Runnable task = () -> run(attempt, result, discard);
        try {
            thread.execute(task);
            CompletableFuture.anyOf(result, closed)
                    .orTimeout(limitMillis, TimeUnit.MILLISECONDS)
                    .join();
            return result.join();
        } catch (RejectedExecutionException e) {
            throw closedError();
        } catch (CompletionException e) {
            thread.remove(task);
            var unused = result.thenAccept(discard);
            result.cancel(false);
            Throwable cause = e.getCause();
            throw failure(cause == null ? e : cause);
        }
    }

    /** Runs an attempt. A result that comes after its caller has stopped waiting is discarded. */
    private static <T> void run(Attempt<T> attempt, CompletableFuture<T> result, Consumer<? super T> discard) {
        if (result.isDone()) {
            return;
        }
        try {
            T value = attempt.run();
            if (!result.complete(value)) {
                discard.accept(value);
            }
        } catch (Throwable e) {
            result.completeExceptionally(e);
        }
    }

    private static void discard(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new CompletionException(e);
        }
    }

    private SQLException failure(Throwable cause) {
        if (cause instanceof TimeoutException) {
            return timeout("no answer within " + limitMillis + " ms" + explanation.get());
        }
        return cause instanceof SQLException known ? known : new SQLException(cause);
    }

    static SQLException timeout(String text) {
        return new SQLTimeoutException(text, TIMEOUT);
    }

    /** Returns the failure of a thread that was interrupted while it waited, and interrupts it again. */
    static SQLException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new SQLException("interrupted", TIMEOUT, e);
    }

    /** Returns {@code true} if a failure of our own says that there was no connection in time. HikariCP copies the state of its cause. */
    static boolean isTimeout(SQLException e) {
        return e instanceof SQLTimeoutException && TIMEOUT.equals(e.getSQLState());
    }

    static SQLException closedError() {
        return new SQLException("the client is closed", "HFDCL");
    }

    /** Fails all waiting callers. The thread ends when the driver answers. */
    @Override
    public void close() {
        thread.shutdown();
        closed.completeExceptionally(closedError());
    }
}
