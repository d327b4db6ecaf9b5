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
 * A task that deletes the rows of names that were not used for some time. A release starts it, and does not wait for it. It
 * runs at most once an hour; if there are more such rows than one statement deletes, the next run may follow after a second.
 */
public final class Sweep implements AutoCloseable {

    /** The number of rows that one run deletes at most. */
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
            List<Map.Entry<Key, Row>> page =
                    sessions.run("sweep", connection -> dialect.unused(connection, from, unusedMicros, ROWS));
            int clients = sessions.runWrite("sweep", connection -> dialect.forgetUnseen(connection, unusedMicros))
                    .orElse(0);
            List<Map.Entry<Key, Row>> forgotten = page.stream()
                    .filter(entry -> isForgotten(entry.getKey(), entry.getValue()))
                    .toList();
            long kept = forgotten.stream()
                    .filter(entry -> !delete(entry.getKey(), entry.getValue()))
                    .count();
            LOG.debug("{} of {} names and {} clients are swept", forgotten.size() - kept, page.size(), clients);
            boolean isLast = page.size() < ROWS;
            from = isLast ? FIRST : page.get(page.size() - 1).getKey().next();
            if (!isLast || kept > 0) {
                due.set(platform.nanoTime() + (isLast ? RETRY_NANOS : PAUSE_NANOS));
            }
        } catch (RuntimeException e) {
            failed(e);
        }
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
