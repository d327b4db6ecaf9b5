package io.holdfast.mongodb.record;

import static io.holdfast.spi.Names.quoted;

import com.mongodb.MongoException;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that deletes the documents of names that were not used for some time. A release starts it, and does not wait for it. It
 * runs at most once an hour, or once a second while there is more to delete.
 */
final class Sweep implements AutoCloseable {

    /** The number of documents that one run looks at. */
    private static final int DOCUMENTS = 1_000;

    /** The time for which a name is unused before its document is deleted. */
    static final Duration UNUSED = Duration.ofDays(7);

    private static final Logger LOG = LoggerFactory.getLogger(Sweep.class);
    private static final Date FIRST = Stored.date(0);
    private static final long PERIOD_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Documents documents;
    private final Clients clients;
    private final Platform platform;
    private final Platform.Worker worker;
    private final AtomicLong due;

    /** The time with which the next run begins. Only one run is under way. */
    private volatile Date from = FIRST;

    Sweep(StoreConfig config, Documents documents, Clients clients) {
        this.documents = documents;
        this.clients = clients;
        platform = config.platform();
        worker = platform.worker("holdfast-" + config.client().id() + "-sweep", 1);
        due = new AtomicLong(platform.nanoTime() + PERIOD_NANOS);
    }

    /**
     * Starts a sweep on a thread of its own, if one is due.
     *
     * @param nowMicros the time of the server
     */
    void startIfDue(long nowMicros) {
        long now = platform.nanoTime();
        long planned = due.get();
        if (now - planned >= 0 && due.compareAndSet(planned, now + PERIOD_NANOS)) {
            try {
                worker.execute(() -> run(nowMicros));
            } catch (RejectedExecutionException closed) {
                // the store is closed; another client sweeps
            }
        }
    }

    /** Deletes what was not used for long before a time of the server. */
    void run(long nowMicros) {
        try {
            Date since = Stored.date(nowMicros - UNUSED.toNanos() / 1_000);
            documents.createIndex();
            List<Stored> old = documents.unused(from, since, DOCUMENTS);
            boolean isLast = old.size() < DOCUMENTS;
            from = isLast ? FIRST : Stored.date(old.get(old.size() - 1).atMicros() + 1_000);
            long deleted = old.stream()
                    .filter(Sweep::isForgotten)
                    .filter(documents::delete)
                    .count();
            clients.forgetUnseen(since);
            LOG.debug("{} of {} names are swept", deleted, old.size());
            if (!isLast) {
                due.set(platform.nanoTime() + PAUSE_NANOS);
            }
        } catch (MongoException | IllegalStateException e) {
            LOG.info("unused names were not swept; trying again in an hour", e);
        }
    }

    /** Returns {@code true} if nothing but the tokens of the name is left, and nobody can need them. */
    private static boolean isForgotten(Stored stored) {
        try {
            return stored.record().isForgotten(stored.nowMicros());
        } catch (RuntimeException e) {
            LOG.debug("the document of {} cannot be read, and stays", quoted(stored.name()), e);
            return false;
        }
    }

    @Override
    public void close() {
        worker.close();
    }
}
