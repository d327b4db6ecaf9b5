package io.holdfast.benchmarks.subject;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

/** A client of a measured library. A kind of lock that the library lacks throws {@link UnsupportedOperationException}. */
public interface Subject extends AutoCloseable {

    /** Returns a lock that the acquiring thread has to release. */
    Lock lock(String name);

    /** Returns a fair lock (first come, first served). */
    default Lock fairLock(String name) {
        throw new UnsupportedOperationException("fair lock");
    }

    /** Returns a lock that shows how fast a waiter of another client is notified. */
    default Lock waking(String name) {
        return lock(name);
    }

    /** Returns a lock that lingers in its process after a release, if the library supports that. */
    default Lock cached(String name) {
        return lock(name);
    }

    /** Returns a read/write lock. */
    default ReadWriteLock readWriteLock(String name) {
        throw new UnsupportedOperationException("read/write lock");
    }

    /** Returns a semaphore whose permits are released when their holder dies. */
    default Permits semaphore(String name, int permits) {
        throw new UnsupportedOperationException("semaphore");
    }

    /** Returns a segmented lock: an acquire gets any free segment. */
    default Permits segmented(String name, int segments) {
        throw new UnsupportedOperationException("segmented lock");
    }

    /** Returns a lock that holds all of the named locks, or none. */
    default Lock multi(List<String> names) {
        throw new UnsupportedOperationException("multi-lock");
    }

    /** Returns an asynchronous acquire and release. */
    default AsyncPair async(String name) {
        throw new UnsupportedOperationException("asynchronous lock");
    }

    @Override
    void close();

    /** A set of permits, each with one holder. */
    @FunctionalInterface
    interface Permits {

        /** Acquires a permit, and returns the action that releases it. */
        Runnable acquire();
    }

    /** An asynchronous acquire and release. */
    @FunctionalInterface
    interface AsyncPair {

        /** Completes when the lock was acquired and released. */
        CompletionStage<?> run();
    }
}
