package io.holdfast.examples.flashsale;

import io.holdfast.Holdfast;
import io.holdfast.recipes.SegmentLease;
import io.holdfast.recipes.SegmentedLock;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The stock is spread over several shelves, each with a lock of its own, so that as many sellers can sell at once. A dead or
 * slow seller blocks one shelf. Each process begins at two shelves of its own, where its sellers hand the lock over to each
 * other without a store call.
 */
final class Segmented implements Strategy {

    /** A wait that is longer than the usual queue at one of its own shelves. */
    private static final Duration PATIENCE = Duration.ofMillis(250);

    private static final int OWN = 2;

    private final Holdfast holdfast;
    private final int[] othersShelves;

    /**
     * The shelves that are not known to be sold out. A sold-out shelf stays sold out, so losing this information in a race is
     * harmless.
     */
    private volatile SegmentedLock shelves;

    Segmented(Job job) {
        int firstOwn = OWN * job.process() % Keys.SHELVES;
        othersShelves = IntStream.range(0, Keys.SHELVES)
                .filter(shelf -> shelf < firstOwn || shelf >= firstOwn + OWN)
                .toArray();
        holdfast = job.connect();
        shelves = SegmentedLock.of(holdfast, "flash-sale/" + job.sale(), Keys.SHELVES);
    }

    @Override
    public boolean sell(Sale sale) throws InterruptedException {
        for (SegmentedLock left = shelves; !left.segments().isEmpty(); left = shelves) {
            SegmentLease lease = takeAny(left);
            Outcome outcome = sellFrom(lease, sale);
            if (outcome == Outcome.SOLD) {
                return true;
            }
            if (outcome == Outcome.SOLD_OUT) {
                shelves = shelves.without(lease.segment());
            }
        }
        return false;
    }

    private static Outcome sellFrom(SegmentLease lease, Sale sale) throws InterruptedException {
        try {
            return sale.sellOne(sale.shop().shelf(lease.segment(), lease.fencingToken()));
        } finally {
            sale.shop().release(lease);
        }
    }

    /** Returns one of the own shelves; any shelf if those are sold out or stay busy. */
    private SegmentLease takeAny(SegmentedLock left) throws InterruptedException {
        Optional<SegmentLease> own = left.without(othersShelves).tryAcquireAny(PATIENCE);
        return own.isPresent() ? own.get() : left.acquireAny();
    }

    @Override
    public void close() {
        holdfast.close();
    }
}
