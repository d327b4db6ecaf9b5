package io.holdfast.examples.flashsale;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import java.util.function.BiFunction;

/**
 * One lock around the whole purchase of an item. If a seller dies, the lock expires with its lease. A slow seller keeps the
 * lock, because the lease is renewed.
 */
final class HoldfastLock implements Strategy {

    private final Holdfast holdfast;
    private final DistributedLock lock;

    HoldfastLock(Job job, BiFunction<Holdfast, String, DistributedLock> kind) {
        holdfast = job.connect();
        lock = kind.apply(holdfast, "flash-sale/" + job.sale());
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
