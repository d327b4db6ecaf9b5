package io.holdfast.benchmarks.subject;

import java.util.concurrent.locks.Lock;

final class NoOp implements Subject {

    @Override
    public Lock lock(String name) {
        return new SimpleLock() {
            @Override
            public void lock() {}

            @Override
            public void unlock() {}
        };
    }

    @Override
    public void close() {}
}
