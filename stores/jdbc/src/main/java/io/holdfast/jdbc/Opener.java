package io.holdfast.jdbc;

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
import java.util.function.Supplier;

/**
 * An opener of connections with a time limit. A driver may wait forever for a process that is stopped. So the opener opens all
 * connections on one thread of its own.
 */
final class Opener implements AutoCloseable {

    private static final long IDLE_SECONDS = 5;

    private final ThreadPoolExecutor thread;
    private final long limitMillis;
    private final Supplier<String> explanation;
    private final CompletableFuture<Connection> closed = new CompletableFuture<>();

    /** An attempt to open a connection, which may take any time. */
    interface Attempt {
        Connection open() throws SQLException;
    }

    /**
     * Creates an opener.
     *
     * @param explanation explains why a time limit was reached
     */
    Opener(ThreadFactory threads, long limitMillis, Supplier<String> explanation) {
        thread = new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        thread.allowCoreThreadTimeOut(true);
        this.limitMillis = limitMillis;
        this.explanation = explanation;
    }

    /**
     * Opens a connection within the time limit.
     *
     * @throws SQLException if the attempt throws it, if the time is up, or if this opener is closed
     */
    Connection open(Attempt attempt) throws SQLException {
        CompletableFuture<Connection> opened = new CompletableFuture<>();
        Runnable task = () -> run(attempt, opened);
        try {
            thread.execute(task);
            return (Connection) CompletableFuture.anyOf(opened, closed)
                    .orTimeout(limitMillis, TimeUnit.MILLISECONDS)
                    .join();
        } catch (RejectedExecutionException e) {
            throw closedError();
        } catch (CompletionException e) {
            thread.remove(task);
            var unused = opened.thenAccept(Opener::discard);
            opened.cancel(false);
            Throwable cause = e.getCause();
            throw failure(cause == null ? e : cause);
        }
    }

    /** Runs an attempt. A connection that is opened after its caller has stopped waiting is closed. */
    private static void run(Attempt attempt, CompletableFuture<Connection> opened) {
        if (opened.isDone()) {
            return;
        }
        try {
            Connection connection = attempt.open();
            if (!opened.complete(connection)) {
                discard(connection);
            }
        } catch (Throwable e) {
            opened.completeExceptionally(e);
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
            return new SQLTimeoutException("no answer within " + limitMillis + " ms" + explanation.get(), "HFDTO");
        }
        return cause instanceof SQLException known ? known : new SQLException(cause);
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
