package io.holdfast.examples.guide;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import java.time.Duration;

/** The code of docs/migrating-from-redisson.md. */
final class Migrating {

    private final Orders orders;

    Migrating(Orders orders) {
        this.orders = orders;
    }

    boolean tryLock(Holdfast holdfast) throws InterruptedException {
        // region migrating-try
        DistributedLock lock = holdfast.lock("orders/42");
        if (!lock.tryLock(Duration.ofSeconds(5))) {
            return false;
        }
        try {
            orders.ship(42, lock.fencingToken());
            return true;
        } finally {
            lock.unlock();
        }
        // endregion
    }
}
