package io.holdfast.benchmarks.subject;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

/** A client of what is measured. A kind that it does not have throws {@link UnsupportedOperationException}. */
public interface Subject extends AutoCloseable {

    /** A lock that any thread may take, and only that thread give back. */
    Lock lock(String name);

    /** A lock that is had in the order of arrival. */
    default Lock fairLock(String name) {
        throw new UnsupportedOperationException("fair lock");
    }

    /** A lock with which it can be seen how fast a waiter of another client is woken. */
    default Lock waking(String name) {
        return lock(name);
    }

    /** A lock that its process may keep for a while after it was given back, if the library can. */
    default Lock cached(String name) {
        return lock(name);
    }

    /** Any number of readers, or one writer. */
    default ReadWriteLock readWriteLock(String name) {
        throw new UnsupportedOperationException("read/write lock");
    }

    /** So many permits, which come back when their holder dies. */
    default Permits semaphore(String name, int permits) {
        throw new UnsupportedOperationException("semaphore");
    }

    /** A lock of which there are some: whoever locks gets any that is free. */
    default Permits segmented(String name, int segments) {
        throw new UnsupportedOperationException("segmented lock");
    }

    /** Gets a lock and gives it back, without a thread that waits. */
    default AsyncPair async(String name) {
        throw new UnsupportedOperationException("asynchronous lock");
    }

    @Override
    void close();

    /** Something of which there is a number, each with a holder. */
    @FunctionalInterface
    interface Permits {

        /** Waits for one; what comes back gives it back. */
        Runnable acquire();
    }

    /** A pair that is under way while its thread goes on. */
    @FunctionalInterface
    interface AsyncPair {

        /** Completes when the lock was had and is given back. */
        CompletionStage<?> run();
    }
}
