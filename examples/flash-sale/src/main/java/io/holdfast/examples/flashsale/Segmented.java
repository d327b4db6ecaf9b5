package io.holdfast.examples.flashsale;

import io.holdfast.Holdfast;
import io.holdfast.SegmentLease;
import io.holdfast.SegmentedLock;

/**
 * The stock lies on several shelves, each with a lock of its own, so that as many sellers sell at once. A death or a slow
 * sale holds up one shelf. Each process begins at two shelves of its own, where its sellers pass the lock on to each other
 * without asking the store.
 */
final class Segmented implements Strategy {

    private final Holdfast holdfast;

    /** Those that are not known to be sold out. What is sold out stays so; what is forgotten in a race is found again. */
    private volatile SegmentedLock shelves;

    Segmented(Job job) {
        int own = 2 * job.process() % Keys.SHELVES;
        holdfast = job.connect();
        shelves = holdfast.segmented("flash-sale/" + job.sale(), Keys.SHELVES).startingAt(own, own + 1);
    }

    @Override
    public boolean sell(Sale sale) throws InterruptedException {
        for (SegmentedLock left = shelves; !left.segments().isEmpty(); left = shelves) {
            try (SegmentLease lease = left.acquireAny()) {
                if (sale.sellOne(sale.shop().shelf(lease.segment()))) {
                    return true;
                }
                shelves = shelves.without(lease.segment());
            }
        }
        return false;
    }

    @Override
    public void close() {
        holdfast.close();
    }
}
