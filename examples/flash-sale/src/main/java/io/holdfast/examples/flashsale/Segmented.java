package io.holdfast.examples.flashsale;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/**
 * The stock lies on several shelves, each with a lock of its own, so that as many sellers sell at once. A death or a slow
 * sale holds up one shelf. Each process begins at two shelves of its own, where its sellers pass the lock on to each other
 * without asking the store.
 */
final class Segmented implements Strategy {

    /** Longer than a queue usually lasts: who gives up has cost the others two store calls for nothing. */
    private static final Duration PATIENCE = Duration.ofMillis(250);

    private static final int OWN = 2;

    private final Holdfast holdfast;
    private final List<Segment> segments;
    private final int firstOwn;

    Segmented(Job job) {
        firstOwn = job.process() * OWN;
        holdfast = job.connect();
        segments = IntStream.range(0, Keys.SHELVES)
                .mapToObj(i -> new Segment(i, holdfast.lock("flash-sale/" + job.sale() + "/" + i)))
                .toList();
    }

    @Override
    public boolean sell(Sale sale) throws InterruptedException {
        while (true) {
            if (segments.stream().noneMatch(Segment::hasStock)) {
                return false;
            }
            if (sellFromAny(sale)) {
                return true;
            }
        }
    }

    /** Moves on where it is empty or busy. */
    private boolean sellFromAny(Sale sale) throws InterruptedException {
        int start = firstOwn + ThreadLocalRandom.current().nextInt(OWN);
        for (int i = 0; i < segments.size(); i++) {
            Segment segment = segments.get((start + i) % segments.size());
            if (segment.hasStock() && segment.sell(sale)) {
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
