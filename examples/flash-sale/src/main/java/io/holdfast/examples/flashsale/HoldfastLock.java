package io.holdfast.examples.flashsale;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.util.function.BiFunction;

/**
 * One lock around the whole purchase of an item. If a seller dies, the lock expires with its lease. A slow seller keeps the
 * lock, because the lease is renewed. A seller that lost the lock all the same, because its process was stopped, sells nothing
 * from what a later holder has read, because Redis refuses its token.
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
        Outcome outcome;
        do {
            outcome = sellOnce(sale);
        } while (outcome == Outcome.FENCED_OFF);
        return outcome == Outcome.SOLD;
    }

    private Outcome sellOnce(Sale sale) throws InterruptedException {
        Lease lease = lock.acquire();
        try {
            return sale.sellOne(sale.shop().stock(lease.fencingToken()));
        } finally {
            sale.shop().release(lease);
        }
    }

    @Override
    public void close() {
        holdfast.close();
    }
}
