package io.holdfast.jdbc;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that deletes the rows of names that were not used for some time. A release starts it, and does not wait for it. It
 * runs at most once an hour; if there are more such rows than one statement deletes, the next run may follow after a second.
 */
final class Sweep implements AutoCloseable {

    static final Duration MIN = Duration.ofHours(1);
    static final Duration MAX = Duration.ofDays(365);
    static final Duration DEFAULT = Duration.ofDays(7);

    /** The number of rows that one statement deletes. */
    static final int ROWS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(Sweep.class);
    private static final long PERIOD_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Transactions transactions;
    private final Platform platform;
    private final Platform.Worker worker;
    private final Address database;
    private final AtomicLong due;

    Sweep(Transactions transactions, StoreConfig config, Address database) {
        this.transactions = transactions;
        platform = config.platform();
        worker = platform.worker("holdfast-" + config.client().id() + "-sweep", 1);
        this.database = database;
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
            long unused = JdbcStore.micros(database.sweepAfter());
            int deleted = transactions.run(
                    "sweep", connection -> Optional.of(Transactions.update(connection, Sql.SWEEP, unused, ROWS)));
            if (deleted == ROWS) {
                due.set(platform.nanoTime() + PAUSE_NANOS);
            }
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    private void failed(Throwable error) {
        LOG.info("H2 at {}: unused names were not swept; trying again in an hour", database, error);
    }

    @Override
    public void close() {
        worker.close();
    }
}
