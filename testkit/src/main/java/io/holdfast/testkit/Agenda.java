package io.holdfast.testkit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Virtual time, and its scheduled entries. Entries of the same moment are in the order of their scheduling. */
final class Agenda {

    private static final int CLEANING_THRESHOLD = 1_000;

    private final PriorityQueue<Entry> entries =
            new PriorityQueue<>(Comparator.comparingLong(Entry::at).thenComparingLong(Entry::number));
    private long now;
    private long scheduled;
    private int cancelled;

    /** A scheduled entry. It runs on the scheduler, so it only makes others ready. */
    final class Entry {

        private final long at;
        private final long number;
        private final Runnable action;
        private boolean over;

        Entry(long at, long number, Runnable action) {
            this.at = at;
            this.number = number;
            this.action = action;
        }

        long at() {
            return at;
        }

        long number() {
            return number;
        }

        void cancel() {
            if (!over) {
                over = true;
                cancelled++;
                dropCancelled();
            }
        }
    }

    /** Returns the nanoseconds since the start. */
    long now() {
        return now;
    }

    Entry after(long nanos, Runnable action) {
        Entry entry = new Entry(plus(now, nanos), scheduled++, action);
        entries.add(entry);
        return entry;
    }

    static long plus(long time, long nanos) {
        long sum = time + Math.max(0, nanos);
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    /** Runs the entries that are due now. */
    void runDue() {
        for (Entry next = next(); next != null && next.at <= now; next = next()) {
            entries.remove();
            next.over = true;
            next.action.run();
        }
    }

    /**
     * Advances time to the next entry, or to the limit if no entry is before it. Returns {@code true} if there was an entry.
     */
    boolean advance(long limit) {
        Entry next = next();
        if (next == null || next.at > limit) {
            now = Math.max(now, limit);
            return false;
        }
        now = Math.max(now, next.at);
        return true;
    }

    /** Lets time pass without running what is due. */
    void skip(long nanos) {
        now += nanos;
    }

    boolean isEmpty() {
        return next() == null;
    }

    private @Nullable Entry next() {
        Entry first = entries.peek();
        while (first != null && first.over) {
            entries.remove();
            cancelled--;
            first = entries.peek();
        }
        return first;
    }

    private void dropCancelled() {
        if (cancelled > CLEANING_THRESHOLD && cancelled > entries.size() / 2) {
            List<Entry> kept = new ArrayList<>(entries);
            kept.removeIf(entry -> entry.over);
            entries.clear();
            entries.addAll(kept);
            cancelled = 0;
        }
    }
}
