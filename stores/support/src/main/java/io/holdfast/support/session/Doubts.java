package io.holdfast.support.session;

import io.holdfast.spi.Platform;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Counts the moments from which on the holds of this client have to be read at the servers again: messages may have been lost, or
 * this machine was suspended. Meanwhile somebody may have forced holds free, or deleted their records.
 */
final class Doubts {

    private final Platform platform;
    private final ReentrantLock mutex = new ReentrantLock();

    /** Guarded by the mutex. */
    private ClockReading last;

    /** Guarded by the mutex. */
    private long count;

    Doubts(Platform platform) {
        this.platform = platform;
        last = ClockReading.of(platform);
    }

    /** Notes that messages may have been lost. */
    void add() {
        mutex.lock();
        try {
            count++;
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Returns the number of doubts up to now. What a request proves is proven until there are more than when it was sent.
     *
     * @param margin the nanoseconds by which the clocks may have parted since the last call
     */
    long count(long margin) {
        mutex.lock();
        try {
            ClockReading now = ClockReading.of(platform);
            if (last.disagreement(now) > margin) {
                count++;
            }
            last = now;
            return count;
        } finally {
            mutex.unlock();
        }
    }
}
