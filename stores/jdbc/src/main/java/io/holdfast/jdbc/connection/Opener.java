package io.holdfast.jdbc.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * An opener of connections with a time limit. A driver may wait forever for a process that is stopped. So the opener opens
 * connections one after the other on a thread of its own. A call that outlasts its time limit keeps its thread until the driver
 * answers, and the next call gets another thread, up to {@link #MAX_HANGING} times. Further calls wait for one that ends.
 */
public final class Opener implements AutoCloseable {

    private static final String TIMEOUT = "HFDTO";
    private static final long IDLE_SECONDS = 5;
    private static final int MAX_HANGING = 3;

    /** It has one thread, and one more for each call that hangs. */
    private final ThreadPoolExecutor threads;

    /** The calls that hang: nobody waits for them any more, and their driver has not answered. */
    private final Set<Call<?>> hanging = ConcurrentHashMap.newKeySet();

    private final ReentrantLock resizing = new ReentrantLock();
    private final Supplier<String> explanation;
    private volatile long limitMillis;
    private final CompletableFuture<Object> closed = new CompletableFuture<>();

    /** A call of a driver, which may take any time. */
    public interface Attempt<T> {
        /** Returns what the driver has returned. */
        T run() throws SQLException;
    }

    /** A call under way. A result that comes after its caller has stopped waiting is discarded. */
    private final class Call<T> implements Runnable {

        private final Attempt<T> attempt;
        private final Consumer<? super T> discard;
        private final CompletableFuture<T> result = new CompletableFuture<>();
        private volatile boolean ended;

        Call(Attempt<T> attempt, Consumer<? super T> discard) {
            this.attempt = attempt;
            this.discard = discard;
        }

        @Override
        public void run() {
            try {
                if (result.isDone()) {
                    return;
                }
                T value = attempt.run();
                if (!result.complete(value)) {
                    discard.accept(value);
                }
            } catch (Throwable e) {
                result.completeExceptionally(e);
            } finally {
                ended = true;
                noteHanging(this, false);
            }
        }

        /** Ends the wait of the caller. */
        void leave() {
            boolean begun = !threads.remove(this);
            var unused = result.thenAccept(discard);
            result.cancel(false);
            if (begun) {
                noteHanging(this, !ended);
                // race: it may have ended since
                if (ended) {
                    noteHanging(this, false);
                }
            }
        }
    }

    /**
     * Creates an opener.
     *
     * @param explanation explains why a time limit was reached
     */
    public Opener(ThreadFactory factory, long limitMillis, Supplier<String> explanation) {
        threads = new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        threads.setMaximumPoolSize(1 + MAX_HANGING);
        threads.allowCoreThreadTimeOut(true);
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
        Call<T> call = new Call<>(attempt, discard);
        try {
            threads.execute(call);
            CompletableFuture.anyOf(call.result, closed)
                    .orTimeout(limitMillis, TimeUnit.MILLISECONDS)
                    .join();
            return call.result.join();
        } catch (RejectedExecutionException e) {
            throw closedError();
        } catch (CompletionException e) {
            call.leave();
            Throwable cause = e.getCause();
            throw failure(cause == null ? e : cause);
        }
    }

    private void noteHanging(Call<?> call, boolean hangs) {
        boolean changed = hangs ? hanging.add(call) : hanging.remove(call);
        if (changed) {
            resizing.lock();
            try {
                threads.setCorePoolSize(1 + Math.min(MAX_HANGING, hanging.size()));
            } finally {
                resizing.unlock();
            }
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

    /** Fails all waiting callers. Each thread ends when its driver answers. */
    @Override
    public void close() {
        threads.shutdown();
        closed.completeExceptionally(closedError());
    }
}
