package io.holdfast.examples.flashsale;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/**
 * The stock lies on several shelves, each with a lock of its own, so that as many sellers sell at once. A death or a slow
 * sale holds up one shelf.
 */
final class Segmented implements Strategy {

    /** Longer than a queue usually lasts: who gives up has cost the others two store calls for nothing. */
    private static final Duration PATIENCE = Duration.ofMillis(250);

    private final Holdfast holdfast;
    private final List<Segment> segments;

    Segmented(Job job) {
        holdfast = job.connect();
        segments = IntStream.range(0, Keys.SHELVES)
                .mapToObj(i -> new Segment(i, holdfast.lock("flash-sale/" + job.sale() + "/" + i)))
                .toList();
    }

    @Override
    public boolean sell(Sale sale) throws InterruptedException {
        while (true) {
            List<Segment> stocked = segments.stream().filter(Segment::hasStock).toList();
            if (stocked.isEmpty()) {
                return false;
            }
            if (sellFromAny(stocked, sale)) {
                return true;
            }
        }
    }

    /** Begins anywhere, and moves on where it is empty or busy. */
    private static boolean sellFromAny(List<Segment> stocked, Sale sale) throws InterruptedException {
        int start = ThreadLocalRandom.current().nextInt(stocked.size());
        for (int i = 0; i < stocked.size(); i++) {
            if (stocked.get((start + i) % stocked.size()).sell(sale)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        holdfast.close();
    }

    /** One shelf and its lock. What is sold out stays so. */
    private static final class Segment {

        private final int shelf;
        private final DistributedLock lock;
        private volatile boolean soldOut;

        Segment(int shelf, DistributedLock lock) {
            this.shelf = shelf;
            this.lock = lock;
        }

        boolean hasStock() {
            return !soldOut;
        }

        /** False if it is busy or sold out. */
        boolean sell(Sale sale) throws InterruptedException {
            if (!lock.tryLock(PATIENCE)) {
                return false;
            }
            try {
                boolean sold = sale.sellOne(sale.shop().shelf(shelf));
                soldOut = !sold;
                return sold;
            } finally {
                lock.unlock();
            }
        }
    }
}
