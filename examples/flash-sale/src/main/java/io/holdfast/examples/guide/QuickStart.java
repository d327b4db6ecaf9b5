package io.holdfast.examples.guide;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.time.Duration;

/** The code of README.md. */
final class QuickStart {

    private final Orders orders = new Orders();

    Orders orders() {
        return orders;
    }

    void lock(String uri) {
        // region readme-lock
        try (Holdfast holdfast = Holdfast.connect(uri)) { // for example "redis://localhost:6379"
            DistributedLock lock = holdfast.lock("orders/42");
            lock.lock();
            try {
                ship(42, lock.fencingToken());
            } finally {
                lock.unlock();
            }
        }
        // endregion
    }

    void lease(Holdfast holdfast) throws InterruptedException {
        // region readme-lease
        try (Lease lease = holdfast.lock("orders/42").acquire(Duration.ofSeconds(5))) {
            ship(42, lease.fencingToken());
        }
        // endregion
    }

    private void ship(int order, long token) {
        orders.ship(order, token);
    }
}
