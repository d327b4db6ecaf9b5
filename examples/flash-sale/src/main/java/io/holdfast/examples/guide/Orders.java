package io.holdfast.examples.guide;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** A resource that needs protection, and refuses whoever comes late. */
final class Orders {

    private final ReentrantLock mutex = new ReentrantLock();
    private final Map<Integer, Long> shipped = new HashMap<>();

    /** Ships an order, unless somebody with a higher token has been here. */
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
