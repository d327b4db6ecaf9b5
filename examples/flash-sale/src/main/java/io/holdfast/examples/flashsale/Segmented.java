package io.holdfast.examples.flashsale;

import io.holdfast.Holdfast;
import io.holdfast.recipes.SegmentLease;
import io.holdfast.recipes.SegmentedLock;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The stock lies on several shelves, each with a lock of its own, so that as many sellers sell at once. A death or a slow
 * sale holds up one shelf. Each process begins at two shelves of its own, where its sellers pass the lock on to each other
 * without asking the store.
 */
final class Segmented implements Strategy {

    /** Longer than a queue at the own shelves usually lasts. */
    private static final Duration PATIENCE = Duration.ofMillis(250);

    private static final int OWN = 2;

    private final Holdfast holdfast;
    private final int[] othersShelves;

    /** Those that are not known to be sold out. What is sold out stays so; what is forgotten in a race is found again. */
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
            try (SegmentLease lease = takeAny(left)) {
                if (sale.sellOne(sale.shop().shelf(lease.segment()))) {
                    return true;
                }
                shelves = shelves.without(lease.segment());
            }
        }
        return false;
    }

    /** One of the own shelves; any, where those are sold out or stay busy. */
    private SegmentLease takeAny(SegmentedLock left) throws InterruptedException {
        Optional<SegmentLease> own = left.without(othersShelves).tryAcquireAny(PATIENCE);
        return own.isPresent() ? own.get() : left.acquireAny();
    }

    @Override
    public void close() {
        holdfast.close();
    }
}
