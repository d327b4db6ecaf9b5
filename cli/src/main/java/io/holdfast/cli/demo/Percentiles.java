package io.holdfast.cli.demo;

import java.util.Arrays;

/** Nearest-rank percentiles. */
final class Percentiles {

    private final long[] sorted;

    Percentiles(long[] values) {
        sorted = values.clone();
        Arrays.sort(sorted);
    }

    /** The smallest value that at least that many percent of the values do not exceed; 0 if there are none. */
    long at(double percent) {
        if (sorted.length == 0) {
            return 0;
        }
        int rank = (int) Math.ceil(sorted.length * percent / 100);
        return sorted[Math.max(rank, 1) - 1];
    }
}
