package io.holdfast.examples.flashsale;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import java.util.function.BiFunction;

/**
 * One lock around the whole sale of an item. A seller that dies inside holds it until its lease ends, and no longer; one
 * that is slow keeps it, since it is renewed.
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
