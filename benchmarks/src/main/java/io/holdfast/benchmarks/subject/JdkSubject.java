package io.holdfast.benchmarks.subject;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

final class JdkSubject implements Subject {

    private final Map<String, Lock> locks = new ConcurrentHashMap<>();
    private final Map<String, ReadWriteLock> readWriteLocks = new ConcurrentHashMap<>();
    private final boolean fair;

    JdkSubject(boolean fair) {
        this.fair = fair;
    }

    @Override
    public Lock lock(String name) {
        return locks.computeIfAbsent(name, n -> new ReentrantLock(fair));
    }

    @Override
    public Lock fairLock(String name) {
        return lock(name);
    }

    @Override
    public ReadWriteLock readWriteLock(String name) {
        return readWriteLocks.computeIfAbsent(name, n -> new ReentrantReadWriteLock(fair));
    }

    @Override
    public void close() {}
}
