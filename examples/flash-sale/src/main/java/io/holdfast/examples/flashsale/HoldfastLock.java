package io.holdfast.examples.flashsale;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import java.time.Duration;

/** One lock around the whole sale of an item. A seller that dies inside holds it until its lease ends, and no longer. */
final class HoldfastLock implements Strategy {

    private final Holdfast holdfast;
    private final DistributedLock lock;

    HoldfastLock(String store, Duration lease) {
        holdfast = Holdfast.builder().uri(store).lease(lease).build();
        lock = holdfast.lock("flash-sale/item");
    }

    @Override
    public boolean sell(Sale sale) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            return sale.sellOne();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        holdfast.close();
    }
}
