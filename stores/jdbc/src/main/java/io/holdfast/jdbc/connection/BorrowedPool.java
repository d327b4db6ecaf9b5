package io.holdfast.jdbc.connection;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pool of connections that a client has borrowed from an application. It returns those that it does not use.
 *
 * <p>Invariant: a connection that works is returned only if another one is idle, so that an application which keeps its own pool
 * full costs no lock. At the end of its life, its successor is borrowed first.
 */
final class BorrowedPool implements ConnectionPool {

    /** An application may have no more than ten. */
    private static final int SIZE = 5;

    private static final int RESERVED = 2;
    private static final long LIFE_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long TRUSTED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long PAUSE_MILLIS = 100;
    private static final long KEEPING_SECONDS = 5;
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** One thread may wait for the application, while the other returns connections. */
    private static final int THREADS = 2;

    private static final Logger LOG = LoggerFactory.getLogger(BorrowedPool.class);

    private final Source source;
    private final ApplicationPool application;
    private final long timeoutMillis;
    private final LongSupplier nanoTime;
    private final ThreadFactory factory;
    private final ScheduledThreadPoolExecutor threads;

    /** Fair, so that a caller who has just arrived does not take the connection of one who waits. */
    private final ReentrantLock mutex = new ReentrantLock(true);

    private final Condition changed = mutex.newCondition();

    @GuardedBy("mutex")
    private final Map<Connection, Loan> loans = new HashMap<>();

    /** The one that was used last is the first. */
    @GuardedBy("mutex")
    private final Deque<Loan> idle = new ArrayDeque<>();

    /** Connections that are no loans any more, and whose return has not ended. */
    @GuardedBy("mutex")
    private int returning;

    @GuardedBy("mutex")
    private int waiting;

    @GuardedBy("mutex")
    private boolean borrowing;

    private volatile boolean closed;

    /** The failure of the last attempt to borrow; empty if it succeeded. */
    private volatile Optional<SQLException> failure = Optional.empty();

    /**
     * A connection that was borrowed.
     *
     * @param since the time at which it was borrowed
     * @param usedAt the time at which it was last used
     */
    private record Loan(Connection connection, long since, long usedAt) {

        boolean hasEnded(long now) {
            return now - since > LIFE_NANOS;
        }
    }

    /** Creates a pool, and borrows nothing. */
    BorrowedPool(
            Source source,
            ApplicationPool application,
            ThreadFactory factory,
            long timeoutMillis,
            LongSupplier nanoTime) {
        this.source = source;
        this.application = application;
        this.factory = factory;
        this.timeoutMillis = timeoutMillis;
        this.nanoTime = nanoTime;
        threads = new ScheduledThreadPoolExecutor(THREADS, factory);
        threads.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        var unused = threads.scheduleWithFixedDelay(this::keep, KEEPING_SECONDS, KEEPING_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public Connection get() throws SQLException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        while (true) {
            Loan loan = await(end).orElseThrow(this::none);
            boolean trusted = nanoTime.getAsLong() - loan.usedAt() < TRUSTED_NANOS;
            if (trusted || Connections.isValid(loan.connection(), secondsUntil(end))) {
                return loan.connection();
            }
            release(loan.connection(), true);
        }
    }

    /** Returns the rest of the time, and 1 at least: a driver takes 0 for no limit. */
    private static int secondsUntil(long end) {
        return (int) Math.max(1, TimeUnit.NANOSECONDS.toSeconds(end - System.nanoTime()));
    }

    /** Returns an idle connection; empty if there is none in time. */
    private Optional<Loan> await(long end) throws SQLException {
        mutex.lock();
        try {
            waiting++;
            try {
                awaitIdle(end);
            } finally {
                waiting--;
            }
            return Optional.ofNullable(idle.pollFirst());
        } finally {
            mutex.unlock();
        }
    }

    @GuardedBy("mutex")
    private void awaitIdle(long end) throws SQLException {
        try {
            long left = end - System.nanoTime();
            while (idle.isEmpty() && !closed && left > 0) {
                borrowOne(SIZE);
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            throw Opener.interrupted(e);
        }
    }

    private SQLException none() {
        if (closed) {
            return Opener.closedError();
        }
        if (hasAll()) {
            return Opener.timeout("no connection within " + timeoutMillis + " ms: all " + SIZE
                    + " connections of this client are in use");
        }
        Optional<SQLException> last = failure;
        SQLException none = Opener.timeout("no connection within " + timeoutMillis + " ms" + application.explanation()
                + last.map(e -> ": " + e.getMessage()).orElse(""));
        last.ifPresent(none::initCause);
        return none;
    }

    /** Returns {@code true} if the application's pool has lent as many connections as this client uses at once. */
    private boolean hasAll() {
        mutex.lock();
        try {
            return loans.size() >= SIZE;
        } finally {
            mutex.unlock();
        }
    }

    /** Borrows one more in the background, unless one is being borrowed, or there are enough. */
    @GuardedBy("mutex")
    private void borrowOne(int most) {
        if (!borrowing && !closed && loans.size() < most) {
            threads.execute(this::borrow);
            borrowing = true;
        }
    }

    private void borrow() {
        Optional<Connection> lent = Optional.empty();
        try {
            lent = Optional.of(source.getConnection());
            failure = Optional.empty();
        } catch (SQLException e) {
            failure = Optional.of(e);
        } catch (RuntimeException e) {
            failure = Optional.of(new SQLException(e));
        } finally {
            borrowed(lent);
        }
    }

    private void borrowed(Optional<Connection> lent) {
        mutex.lock();
        try {
            borrowing = false;
            if (lent.isPresent()) {
                long now = nanoTime.getAsLong();
                Loan loan = new Loan(lent.get(), now, now);
                loans.put(loan.connection(), loan);
                offer(loan);
            }
            if (closed) {
                returnIdle();
            } else if (waiting > idle.size()) {
                long pause = lent.isPresent() ? 0 : PAUSE_MILLIS;
                var unused = threads.schedule(this::borrowForWaiting, pause, TimeUnit.MILLISECONDS);
            }
        } finally {
            mutex.unlock();
        }
    }

    @GuardedBy("mutex")
    private void offer(Loan loan) {
        idle.addFirst(loan);
        changed.signal();
    }

    private void borrowForWaiting() {
        mutex.lock();
        try {
            if (waiting > idle.size()) {
                borrowOne(SIZE);
            }
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void release(Connection connection, boolean broken) {
        boolean usable = !broken && endTransaction(connection);
        if (!keeps(connection, usable)) {
            giveBack(connection, !usable);
        }
    }

    /** Ends a transaction that has only read. Returns {@code false} if the connection is broken. */
    private static boolean endTransaction(Connection connection) {
        try {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            return true;
        } catch (SQLException | RuntimeException e) {
            LOG.debug("a borrowed connection is broken", e);
            return false;
        }
    }

    /** Returns {@code false} if a connection is to be returned. */
    private boolean keeps(Connection connection, boolean usable) {
        mutex.lock();
        try {
            Loan loan = loans.get(connection);
            long now = nanoTime.getAsLong();
            if (loan == null || !usable || closed || isOver(loan, now)) {
                forget(connection);
                return false;
            }
            Loan used = new Loan(connection, loan.since(), now);
            loans.put(connection, used);
            offer(used);
            return true;
        } finally {
            mutex.unlock();
        }
    }

    /** Returns {@code true} if a connection is at the end of its life, and its successor is there. */
    @GuardedBy("mutex")
    private boolean isOver(Loan loan, long now) {
        return loan.hasEnded(now) && (loans.size() > SIZE || hasYoung(idle, now));
    }

    private static boolean hasYoung(Collection<Loan> some, long now) {
        return some.stream().anyMatch(loan -> !loan.hasEnded(now));
    }

    /** Returns connections that are no longer needed. Borrows the successor of one that is at the end of its life. */
    void keep() {
        List<Loan> over;
        mutex.lock();
        try {
            long now = nanoTime.getAsLong();
            over = takeUnneeded(now);
            if (!hasYoung(idle, now) && loans.values().stream().anyMatch(loan -> loan.hasEnded(now))) {
                borrowOne(SIZE + 1);
            }
        } finally {
            mutex.unlock();
        }
        over.forEach(loan -> giveBack(loan.connection(), false));
    }

    @GuardedBy("mutex")
    private List<Loan> takeUnneeded(long now) {
        List<Loan> over = new ArrayList<>();
        for (Loan loan : List.copyOf(idle)) {
            if (isOver(loan, now)) {
                idle.remove(loan);
                forget(loan.connection());
                over.add(loan);
            }
        }
        while (idle.size() > 1 && now - idle.getLast().usedAt() > IDLE_NANOS) {
            Loan unused = idle.removeLast();
            forget(unused.connection());
            over.add(unused);
        }
        return over;
    }

    /** Ends a loan. The caller then returns the connection. */
    @GuardedBy("mutex")
    private void forget(Connection connection) {
        loans.remove(connection);
        returning++;
        // a waiter may borrow another one
        changed.signalAll();
    }

    @Override
    public void leaveServer() {
        List<Loan> left;
        mutex.lock();
        try {
            left = takeIdle();
        } finally {
            mutex.unlock();
        }
        application.leaveServer();
        left.forEach(loan -> giveBack(loan.connection(), false));
    }

    @GuardedBy("mutex")
    private List<Loan> takeIdle() {
        List<Loan> left = List.copyOf(idle);
        idle.clear();
        left.forEach(loan -> forget(loan.connection()));
        return left;
    }

    /** Returns each idle connection on a thread of its own, because the return of one may hang. */
    @GuardedBy("mutex")
    private void returnIdle() {
        takeIdle()
                .forEach(loan -> factory.newThread(() -> giveBack(loan.connection(), false))
                        .start());
    }

    private void giveBack(Connection connection, boolean broken) {
        try {
            if (broken) {
                connection.abort(Runnable::run);
            }
            connection.close();
        } catch (SQLException | RuntimeException e) {
            LOG.debug("a borrowed connection was not returned in order", e);
        } finally {
            returned();
        }
    }

    private void returned() {
        mutex.lock();
        try {
            returning--;
            changed.signalAll();
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public int callers() {
        return SIZE - RESERVED;
    }

    /** Lends no further connection, and returns the idle ones. Waits until the users of the others have returned them, but not for long. */
    @Override
    public void close() {
        mutex.lock();
        try {
            closed = true;
            changed.signalAll();
            threads.shutdown();
            returnIdle();
            awaitReturned();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            mutex.unlock();
        }
    }

    @GuardedBy("mutex")
    private void awaitReturned() throws InterruptedException {
        long left = CLOSE_NANOS;
        while (loans.size() + returning > 0 && left > 0) {
            left = changed.awaitNanos(left);
        }
    }
}
