package io.holdfast.examples.guide;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** A resource that checks fencing tokens: it refuses a write with a lower token than it has seen. */
final class Orders {

    private final ReentrantLock mutex = new ReentrantLock();
    private final Map<Integer, Long> shipped = new HashMap<>();

    /** Ships an order. Throws if a write with a higher token came first. */
    void ship(int order, long token) {
        mutex.lock();
        try {
            long highest = shipped.getOrDefault(order, 0L);
            if (token < highest) {
                throw new IllegalStateException("token " + token + " is older than " + highest);
            }
            shipped.put(order, token);
        } finally {
            mutex.unlock();
        }
    }

    boolean isShipped(int order) {
        mutex.lock();
        try {
            return shipped.containsKey(order);
        } finally {
            mutex.unlock();
        }
    }
}
