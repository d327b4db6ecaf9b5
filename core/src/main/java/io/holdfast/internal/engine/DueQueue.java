package io.holdfast.internal.engine;

import io.holdfast.internal.slot.Slot;
import io.holdfast.internal.slot.Tenure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The checks of tenures that are due before the next full scan, ordered by time.
 *
 * <p>At most one check of each tenure counts: the earliest. A check that an earlier one has replaced stays in the heap, and is
 * dropped when it is polled (lazy deletion).
 */
final class DueQueue {

    /**
     * A scheduled check of a tenure.
     *
     * @param at the time when it is due, in {@code nanoTime}
     * @param early how much earlier it may run, together with others
     */
    record Check(Slot slot, Tenure tenure, long at, long early) {

        boolean mayRun(long now) {
            return at - early - now <= 0;
        }
    }

    private final ReentrantLock mutex = new ReentrantLock();
    private final PriorityQueue<Check> checks =
            new PriorityQueue<>(Comparator.comparing(Check::at, (one, other) -> Long.signum(one - other)));
    private final Map<Tenure, Check> current = new HashMap<>();

    /** Adds a check, unless an earlier one is scheduled for the tenure. */
    void schedule(Check check) {
        mutex.lock();
        try {
            Check existing = current.get(check.tenure);
            if (existing == null || check.at - existing.at < 0) {
                checks.add(check);
                current.put(check.tenure, check);
            }
        } finally {
            mutex.unlock();
        }
    }

    /** Removes and returns the checks that may run now. */
    List<Check> pollDue(long now) {
        List<Check> due = new ArrayList<>();
        mutex.lock();
        try {
            for (Check first = checks.peek(); first != null && first.mayRun(now); first = checks.peek()) {
                checks.remove();
                if (current.remove(first.tenure, first)) {
                    due.add(first);
                }
            }
        } finally {
            mutex.unlock();
        }
        return due;
    }

    /** Returns the time of the next check, or the given time if that is earlier. */
    long nextAt(long latest) {
        mutex.lock();
        try {
            Check first = checks.peek();
            return first != null && first.at - latest < 0 ? first.at : latest;
        } finally {
            mutex.unlock();
        }
    }
}
