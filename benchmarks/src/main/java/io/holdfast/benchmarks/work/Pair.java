package io.holdfast.benchmarks.work;

import java.util.concurrent.locks.Lock;

/** An operation of one lock and one unlock. */
final class Pair {

    private Pair() {}

    static void run(Lock lock, Runnable inside) {
        lock.lock();
        try {
            inside.run();
        } finally {
            lock.unlock();
        }
    }

    static void run(Lock lock) {
        run(lock, Referee.NOTHING);
    }
}
