package io.holdfast.examples.report;

import java.util.Arrays;

/** The percentiles of some values, by the nearest rank. */
public final class Percentiles {

    private final long[] sorted;

    public Percentiles(long[] values) {
        sorted = values.clone();
        Arrays.sort(sorted);
    }

    /** Returns the smallest value that at least this percentage of the values does not exceed; 0 if there are no values. */
    public long at(double percent) {
        if (sorted.length == 0) {
            return 0;
        }
        int rank = (int) Math.ceil(sorted.length * percent / 100);
        return sorted[Math.max(rank, 1) - 1];
    }
}
