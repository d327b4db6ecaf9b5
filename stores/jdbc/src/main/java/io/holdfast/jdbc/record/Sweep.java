package io.holdfast.jdbc.record;

import io.holdfast.jdbc.sql.Dialect;
import io.holdfast.jdbc.sql.Key;
import io.holdfast.jdbc.sql.Row;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that deletes the rows of names that were not used for some time. A release starts it, and does not wait for it.
 *
 * <p>A run examines one page of rows in the order of the primary key. No index leads to the unused rows, so a search for them
 * would read the whole table, and would be canceled again and again. The next page may follow after a second. After the last
 * page, the first one follows an hour later.
 */
public final class Sweep implements AutoCloseable {

    /** The number of rows that one run examines at most. */
    public static final int ROWS = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(Sweep.class);
    private static final long PERIOD_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final Key FIRST = Key.first();
    private static final long RETRY_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Dialect dialect;
    private final Sessions sessions;
    private final Platform platform;
    private final Platform.Worker worker;
    private final long unusedMicros;
    private final AtomicLong due;

    /** The name with which the next run begins. Only one run is under way. */
    private volatile Key from = FIRST;

    Sweep(StoreConfig config, Dialect dialect, Sessions sessions, Duration unused) {
        this.dialect = dialect;
        this.sessions = sessions;
        platform = config.platform();
        worker = platform.worker("holdfast-" + config.client().id() + "-sweep", 1);
        unusedMicros = TimeUnit.MICROSECONDS.convert(unused);
        this.due = new AtomicLong(platform.nanoTime() + PERIOD_NANOS);
    }

    /** Starts a sweep on a thread of its own, if one is due. */
    void startIfDue() {
        long now = platform.nanoTime();
        long planned = due.get();
        if (now - planned >= 0 && due.compareAndSet(planned, now + PERIOD_NANOS)) {
            start();
        }
    }

    private void start() {
        try {
            worker.execute(this::run);
        } catch (RejectedExecutionException closed) {
            // the store is closed; another client sweeps
        } catch (Throwable e) {
            failed(e);
        }
    }

    private void run() {
        try {
            int clients = sessions.runWrite("sweep", connection -> dialect.forgetUnseen(connection, unusedMicros))
                    .orElse(0);
            List<Key> page = sessions.run("sweep", connection -> dialect.keys(connection, from, ROWS));
            long kept = page.isEmpty() ? 0 : sweep(page);
            LOG.debug("{} names were examined, and {} clients are swept", page.size(), clients);
            boolean isLast = page.size() < ROWS;
            from = isLast ? FIRST : page.get(page.size() - 1).next();
            if (!isLast || kept > 0) {
                due.set(platform.nanoTime() + (isLast ? RETRY_NANOS : PAUSE_NANOS));
            }
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    /** Deletes the rows of a page that nobody can need. Returns the number of those that another transaction keeps. */
    private long sweep(List<Key> page) {
        Map<Key, Row> unused = sessions.run("sweep", connection -> dialect.unused(connection, page, unusedMicros));
        return unused.entrySet().stream()
                .filter(entry -> isForgotten(entry.getKey(), entry.getValue()))
                .filter(entry -> !delete(entry.getKey(), entry.getValue()))
                .count();
    }

    /** Returns {@code true} if nothing but the tokens of the name is left, and nobody can need them. */
    private static boolean isForgotten(Key key, Row row) {
        try {
            return row.columns().state().isEmpty()
                    || row.columns().record(key.toString()).isForgotten(row.now());
        } catch (RuntimeException e) {
            LOG.debug("the row {} cannot be read, and stays", key, e);
            return false;
        }
    }

    /** Deletes a row. Returns {@code false} if another transaction keeps it. */
    private boolean delete(Key key, Row row) {
        try {
            return sessions.runWrite("sweep", connection -> dialect.delete(connection, key, row))
                    .isPresent();
        } catch (StoreException e) {
            LOG.debug("the row {} was not swept", key, e);
            return false;
        }
    }

    private void failed(Throwable error) {
        LOG.info(
                "{} at {}: unused names were not swept; trying again in an hour",
                dialect.product(),
                sessions.address(),
                error);
    }

    @Override
    public void close() {
        worker.close();
    }
}
