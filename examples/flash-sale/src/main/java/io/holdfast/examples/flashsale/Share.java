package io.holdfast.examples.flashsale;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** The local view of this process's share: the items that are not yet reserved for one of its sellers. */
final class Share {

    private static final long RETIRED = Long.MIN_VALUE / 2;

    private final Lease lease;
    private final AtomicLong items;

    /** Creates the view of an acquired share with that number of items; with {@link Shelf#REFUSED}, a retired one. */
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

    /** Returns the number of items that are not reserved; 0 for a retired share. */
    long left() {
        return Math.max(0, items.get());
    }

    /** Reserves one item for the caller; {@code false} if none is left. */
    boolean setApart() {
        return hasItems() && items.decrementAndGet() >= 0;
    }

    /** Ends the share, because Redis has it under another token: nobody sells from it any more. */
    void retire() {
        items.set(RETIRED);
    }

    boolean isGood() {
        return items.get() > RETIRED / 2 && lease.isValid();
    }

    /** Releases the lease. If it was lost, the process that acquires the lock of the share returns it to the stock. */
    void giveUp(Consumer<LeaseLostException> onLost) {
        try {
            lease.close();
        } catch (LeaseLostException e) {
            retire();
            onLost.accept(e);
        }
    }
}
