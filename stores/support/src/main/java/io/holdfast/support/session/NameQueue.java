package io.holdfast.support.session;

import io.holdfast.support.store.RecordKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The updates of one name that wait for their turn.
 *
 * <p>One round is under way at a time. The next round takes all updates that arrived during it, and so does a round that has to
 * begin again (flat combining: D. Hendler, I. Incze, N. Shavit and M. Tzafrir, "Flat combining and the
 * synchronization-parallelism tradeoff", SPAA 2010). So updates are decided in the order of their calls, and a release is never
 * decided before an acquire that was sent before it.
 */
final class NameQueue {

    private final RecordKey key;
    private final ReentrantLock mutex = new ReentrantLock();

    // ---- guarded by the mutex

    private List<Pending<?>> waiting = new ArrayList<>();
    private boolean running;
    private boolean removed;

    NameQueue(RecordKey key) {
        this.key = key;
    }

    RecordKey key() {
        return key;
    }

    /** Adds an update, and starts a round if none is under way. Returns {@code false} if this queue was removed. */
    boolean add(Pending<?> update, SessionRecords records) {
        mutex.lock();
        try {
            if (removed) {
                return false;
            }
            waiting.add(update);
            if (running) {
                return true;
            }
            running = true;
        } finally {
            mutex.unlock();
        }
        run(records);
        return true;
    }

    private void run(SessionRecords records) {
        List<Pending<?>> batch = take(records);
        if (!batch.isEmpty()) {
            records.round(this, batch).whenComplete((done, error) -> run(records));
        }
    }

    /** Takes the updates that have arrived since the round began, so that they need not wait for its end. */
    List<Pending<?>> join() {
        mutex.lock();
        try {
            List<Pending<?>> arrived = waiting;
            waiting = new ArrayList<>();
            return arrived;
        } finally {
            mutex.unlock();
        }
    }

    private List<Pending<?>> take(SessionRecords records) {
        mutex.lock();
        try {
            List<Pending<?>> batch = waiting;
            waiting = new ArrayList<>();
            if (batch.isEmpty()) {
                running = false;
                removed = true;
                records.remove(this);
            }
            return batch;
        } finally {
            mutex.unlock();
        }
    }
}
