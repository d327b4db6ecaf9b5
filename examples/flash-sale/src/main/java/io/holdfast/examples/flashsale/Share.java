package io.holdfast.examples.flashsale;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import java.util.concurrent.atomic.AtomicLong;

/** What this process knows of its share: which items of it are not yet set apart for one of its sellers. */
final class Share {

    private static final long RETIRED = Long.MIN_VALUE / 2;

    private final Lease lease;
    private final AtomicLong items;

    /** A share that was taken, or {@link Shelf#REFUSED}. */
    Share(Lease lease, long items) {
        this.lease = lease;
        this.items = new AtomicLong(items == Shelf.REFUSED ? RETIRED : items);
    }

    Lease lease() {
        return lease;
    }

    long fencingToken() {
        return lease.fencingToken();
    }

    boolean hasItems() {
        return items.get() > 0;
    }

    /** Keeps one item for the caller; false if there is none. */
    boolean setApart() {
        return hasItems() && items.decrementAndGet() >= 0;
    }

    /** Redis knows it under another token: nobody sells from it any more. */
    void retire() {
        items.set(RETIRED);
    }

    boolean isGood() {
        return items.get() > RETIRED / 2 && lease.isValid();
    }

    void giveUp() {
        try {
            lease.close();
        } catch (LeaseLostException e) {
            retire(); // lost before: the share is put back by whoever takes its lock
        }
    }
}
