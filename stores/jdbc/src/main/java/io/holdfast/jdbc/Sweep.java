package io.holdfast.jdbc;

import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the rows of names that were not used for some time. It runs with a release: once an hour, and once a second while there
 * are more such rows than one statement deletes.
 */
final class Sweep {

    static final Duration SHORTEST = Duration.ofHours(1);
    static final Duration LONGEST = Duration.ofDays(365);
    static final Duration USUAL = Duration.ofDays(7);

    /** How many rows one statement deletes. */
    static final int ROWS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(Sweep.class);
    private static final long PERIOD_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Transactions transactions;
    private final Platform platform;
    private final Address database;
    private final AtomicLong due;

    Sweep(Transactions transactions, Platform platform, Address database) {
        this.transactions = transactions;
        this.platform = platform;
        this.database = database;
        this.due = new AtomicLong(platform.nanoTime() + PERIOD_NANOS);
    }

    /** Sweeps if it is time. */
    void runIfDue() {
        long now = platform.nanoTime();
        long planned = due.get();
        if (now - planned >= 0 && due.compareAndSet(planned, now + PERIOD_NANOS)) {
            run();
        }
    }

    private void run() {
        long unused = JdbcStore.micros(database.sweepAfter());
        transactions
                .start("sweep", connection -> Optional.of(Transactions.update(connection, Sql.SWEEP, unused, ROWS)))
                .whenComplete((deleted, error) -> {
                    if (error != null) {
                        LOG.info("H2 at {}: unused names were not swept; tried again in an hour", database, error);
                    } else if (deleted == ROWS) {
                        due.set(platform.nanoTime() + PAUSE_NANOS);
                    }
                });
    }
}
