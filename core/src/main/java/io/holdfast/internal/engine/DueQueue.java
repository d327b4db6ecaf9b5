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
 * The tenures that need a look before the next full scan, ordered by the time of that look.
 *
 * <p>At most one entry of each tenure counts. An entry that was replaced by an earlier one stays in the heap, and is dropped
 * when it is taken out.
 */
final class DueQueue {

    /**
     * A planned look at a tenure.
     *
     * @param at the time when it is due, in {@code nanoTime}
     * @param early how much earlier it may be taken together with others
     */
    record Entry(Slot slot, Tenure tenure, long at, long early) {

        boolean mayRun(long now) {
            return at - early - now <= 0;
        }
    }

    private final ReentrantLock mutex = new ReentrantLock();
    private final PriorityQueue<Entry> entries =
            new PriorityQueue<>(Comparator.comparing(Entry::at, (one, other) -> Long.signum(one - other)));
    private final Map<Tenure, Entry> current = new HashMap<>();

    /** Adds a look, unless an earlier one is planned for the tenure. */
    void plan(Entry entry) {
        mutex.lock();
        try {
            Entry before = current.get(entry.tenure);
            if (before == null || entry.at - before.at < 0) {
                entries.add(entry);
                current.put(entry.tenure, entry);
            }
        } finally {
            mutex.unlock();
        }
    }

    /** Removes and returns the looks that may run now. */
    List<Entry> take(long now) {
        List<Entry> due = new ArrayList<>();
        mutex.lock();
        try {
            for (Entry first = entries.peek(); first != null && first.mayRun(now); first = entries.peek()) {
                entries.remove();
                if (current.remove(first.tenure, first)) {
                    due.add(first);
                }
            }
        } finally {
            mutex.unlock();
        }
        return due;
    }

    /** Returns the time of the next look, or the given time if none is due earlier. */
    long next(long atMost) {
        mutex.lock();
        try {
            Entry first = entries.peek();
            return first != null && first.at - atMost < 0 ? first.at : atMost;
        } finally {
            mutex.unlock();
        }
    }
}
