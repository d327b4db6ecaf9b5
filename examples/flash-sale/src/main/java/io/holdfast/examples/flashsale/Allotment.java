package io.holdfast.examples.flashsale;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Each process leases a share of the stock, and its threads sell from that share without a lock. Each share has a lock of its
 * process. If that lock is free, the process has died, and the process that finds the stock empty returns the share to the
 * stock.
 */
final class Allotment implements Strategy {

    private static final Duration PATIENCE = Duration.ofMillis(100);

    private final Job job;
    private final RedisClient redis;
    private final Shares shares;
    private final Holdfast holdfast;
    private final DistributedLock stock;
    private final ReentrantLock mutex = new ReentrantLock();
    private volatile Optional<Share> share = Optional.empty();

    Allotment(Job job) {
        this.job = job;
        redis = RedisClient.create(job.stockStore());
        shares = new Shares(redis.connect().sync(), new Keys(job.sale()));
        holdfast = job.connect();
        stock = holdfast.lock("flash-sale/" + job.sale());
    }

    @Override
    public boolean sell(Sale sale) throws InterruptedException {
        while (true) {
            Optional<Share> mine = share;
            if (mine.isPresent() && mine.get().setApart()) {
                if (sale.sellOne(sale.shop().share(job.process(), mine.get().fencingToken()))) {
                    return true;
                }
                mine.get().retire();
            } else if (!refill(mine)) {
                return false;
            }
        }
    }

    /** Acquires another share to replace an empty one; {@code false} if everything is sold. */
    private boolean refill(Optional<Share> usedUp) throws InterruptedException {
        mutex.lockInterruptibly();
        try {
            while (share.equals(usedUp)) {
                if (isSoldOut()) {
                    return false;
                }
                if (!takeShare()) {
                    awaitAnother();
                }
            }
            return true;
        } finally {
            mutex.unlock();
        }
    }

    private boolean isSoldOut() {
        return shares.stockIsEmpty() && shares.unsold().stream().allMatch(process -> process == job.process());
    }

    private boolean takeShare() throws InterruptedException {
        stock.lockInterruptibly();
        try {
            Lease lease = lease();
            if (shares.stockIsEmpty()) {
                putBackWhatDeadOnesLeft();
            }
            Share taken = new Share(lease, shares.take(job.process(), lease.fencingToken(), job.threads()));
            share = Optional.of(taken);
            return taken.hasItems();
        } finally {
            stock.unlock();
        }
    }

    /** Returns the lease of the present share, or acquires a new one, whose token fences out sellers under the old one. */
    private Lease lease() throws InterruptedException {
        if (share.isPresent() && share.get().isGood()) {
            return share.get().lease();
        }
        share.ifPresent(Share::giveUp);
        Lease lease = lockOf(job.process()).acquire();
        shares.putBack(job.process(), lease.fencingToken());
        return lease;
    }

    private void putBackWhatDeadOnesLeft() {
        for (int process : shares.unsold()) {
            if (process != job.process()) {
                lockOf(process).tryAcquire().ifPresent(lease -> {
                    try (lease) {
                        shares.putBack(process, lease.fencingToken());
                    }
                });
            }
        }
    }

    /** Waits for the lease of another process to end. The wait is short, because that share may be sold out earlier. */
    private void awaitAnother() throws InterruptedException {
        for (int process : shares.unsold()) {
            if (process != job.process()) {
                lockOf(process).tryAcquire(PATIENCE).ifPresent(Lease::close);
                return;
            }
        }
    }

    private DistributedLock lockOf(int process) {
        return holdfast.lock("flash-sale/" + job.sale() + "/share/" + process);
    }

    /** Returns the rest of the share to the stock. */
    @Override
    public void close() {
        try (holdfast) {
            stock.lock();
            try {
                share.ifPresent(mine -> {
                    shares.putBack(job.process(), mine.fencingToken());
                    mine.giveUp();
                });
            } finally {
                stock.unlock();
            }
        } finally {
            redis.shutdown();
        }
    }
}
