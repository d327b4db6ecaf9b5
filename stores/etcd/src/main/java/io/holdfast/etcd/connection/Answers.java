package io.holdfast.etcd.connection;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The times at which answered requests were sent, by the revisions in their answers.
 *
 * <p>An answer carries the revision of the whole store. If that is lower than the revision of a write, the write happened after
 * the request was sent, because requests are linearizable. So a client can tell a time before any write that it hears of.
 */
final class Answers {

    private static final long APART_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int LIMIT = 300;

    private record Known(long sent, long revision) {}

    private final ReentrantLock mutex = new ReentrantLock();
    private final long began;

    /** The latest first. Guarded by the mutex. */
    private final Deque<Known> known = new ArrayDeque<>();

    /**
     * Creates the answers of a session.
     *
     * @param began a {@code nanoTime} before every write that is asked for
     */
    Answers(long began) {
        this.began = began;
    }

    /** Notes an answer. Those that follow another one closely are left out. */
    void note(long sent, long revision) {
        mutex.lock();
        try {
            if (known.isEmpty() || sent - known.element().sent() >= APART_NANOS) {
                known.push(new Known(sent, revision));
                if (known.size() > LIMIT) {
                    known.removeLast();
                }
            }
        } finally {
            mutex.unlock();
        }
    }

    /** Returns the latest known {@code nanoTime} before the write of a revision. */
    long before(long revision) {
        mutex.lock();
        try {
            Iterator<Known> all = known.iterator();
            while (all.hasNext()) {
                Known each = all.next();
                if (each.revision() < revision) {
                    return each.sent();
                }
            }
            return began;
        } finally {
            mutex.unlock();
        }
    }
}
