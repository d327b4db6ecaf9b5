package io.holdfast.examples.flashsale;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A process that leases a share of the stock, and whose threads sell from that share without a lock. Each share has a lock of
 * its process. If that lock is free, the process has died, and the process that finds the stock empty returns the share to the
 * stock. Safe for use by any thread.
 */
public final class ShareSeller implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMillis(100);

    private final Holdfast holdfast;
    private final String name;
    private final int process;
    private final int leastItems;
    private final ShareStore shares;
    private final Consumer<LeaseLostException> onLost;
    private final DistributedLock stock;
    private final ReentrantLock mutex = new ReentrantLock();
    private volatile Optional<Share> share = Optional.empty();

    /**
     * Creates a seller without a share.
     *
     * @param name the name of the lock of the stock; the locks of the shares have names below it
     * @param process the number of this process, which no other living process has
     * @param leastItems the number of items that a share has if the stock has them
     * @param onLost the action for a lost hold, which costs no item
     */
    public ShareSeller(
            Holdfast holdfast,
            String name,
            int process,
            int leastItems,
            ShareStore shares,
            Consumer<LeaseLostException> onLost) {
        this.holdfast = holdfast;
        this.name = name;
        this.process = process;
        this.leastItems = leastItems;
        this.shares = shares;
        this.onLost = onLost;
        this.stock = holdfast.lock(name);
    }

    /** The purchase of an item that is reserved for it. */
    @FunctionalInterface
    public interface Purchase {

        /**
         * Sells the item.
         *
         * @param token the token under which {@link ShareStore#sell} sells
         * @return {@code false} if the share no longer has that token
         */
        boolean sell(long token) throws InterruptedException;
    }

    /**
     * Sells one item.
     *
     * @param patience the maximum wait for the shares of other processes to be sold out or to be returned
     * @return the number of items that are left in the share; empty if everything is sold
     * @throws TimeoutException if items are left in the shares of others only, for that long
     */
    public OptionalLong sell(Duration patience, Purchase purchase) throws InterruptedException, TimeoutException {
        long end = System.nanoTime() + patience.toNanos();
        while (true) {
            Optional<Share> mine = share;
            if (mine.isPresent() && mine.get().setApart()) {
                if (purchase.sell(mine.get().fencingToken())) {
                    return OptionalLong.of(mine.get().left());
                }
                mine.get().retire();
            } else if (!refill(mine, end)) {
                return OptionalLong.empty();
            }
        }
    }

    /** Acquires another share to replace an empty one; {@code false} if everything is sold. */
    private boolean refill(Optional<Share> usedUp, long end) throws InterruptedException, TimeoutException {
        if (!mutex.tryLock(nanosUntil(end), TimeUnit.NANOSECONDS)) {
            throw tooLate();
        }
        try {
            while (share.equals(usedUp)) {
                if (isSoldOut()) {
                    return false;
                }
                if (!takeShare(end)) {
                    awaitAnother(end);
                }
            }
            return true;
        } finally {
            mutex.unlock();
        }
    }

    private boolean isSoldOut() {
        return shares.stockIsEmpty() && shares.unsold().stream().allMatch(other -> other == process);
    }

    private boolean takeShare(long end) throws InterruptedException, TimeoutException {
        if (!stock.tryLock(Duration.ofNanos(nanosUntil(end)))) {
            throw tooLate();
        }
        try {
            Lease lease = lease(end);
            if (shares.stockIsEmpty()) {
                putBackWhatDeadOnesLeft();
            }
            Share taken = new Share(lease, shares.take(process, lease.fencingToken(), leastItems));
            share = Optional.of(taken);
            return taken.hasItems();
        } finally {
            release(stock::unlock);
        }
    }

    /** Returns the lease of the present share, or acquires a new one, whose token fences out sellers under the old one. */
    private Lease lease(long end) throws InterruptedException, TimeoutException {
        if (share.isPresent() && share.get().isGood()) {
            return share.get().lease();
        }
        share.ifPresent(old -> old.giveUp(onLost));
        Lease lease =
                lockOf(process).tryAcquire(Duration.ofNanos(nanosUntil(end))).orElseThrow(this::tooLate);
        shares.putBack(process, lease.fencingToken());
        return lease;
    }

    private void putBackWhatDeadOnesLeft() {
        for (int other : shares.unsold()) {
            if (other != process) {
                lockOf(other).tryAcquire().ifPresent(lease -> {
                    try {
                        shares.putBack(other, lease.fencingToken());
                    } finally {
                        release(lease::close);
                    }
                });
            }
        }
    }

    /** Waits for the lease of another process to end. The wait is short, because that share may be sold out earlier. */
    private void awaitAnother(long end) throws InterruptedException, TimeoutException {
        if (nanosUntil(end) == 0) {
            throw tooLate();
        }
        for (int other : shares.unsold()) {
            if (other != process) {
                lockOf(other).tryAcquire(PATIENCE).ifPresent(lease -> release(lease::close));
                return;
            }
        }
    }

    /** Releases a hold. Its loss costs no item, because each move of items is one step, and is checked by a token. */
    private void release(Runnable hold) {
        try {
            hold.run();
        } catch (LeaseLostException e) {
            onLost.accept(e);
        }
    }

    private DistributedLock lockOf(int owner) {
        return holdfast.lock(name + "/share/" + owner);
    }

    private static long nanosUntil(long end) {
        return Math.max(0, end - System.nanoTime());
    }

    private TimeoutException tooLate() {
        return new TimeoutException("'" + name + "': the remaining items stayed in the shares of other processes");
    }

    /** Returns the rest of the share to the stock. */
    @Override
    public void close() {
        stock.lock();
        try {
            share.ifPresent(mine -> {
                shares.putBack(process, mine.fencingToken());
                mine.giveUp(onLost);
            });
        } finally {
            release(stock::unlock);
        }
    }
}
