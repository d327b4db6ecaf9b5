package io.holdfast.examples.guide;

import io.holdfast.DistributedLatch;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LockReport;
import io.holdfast.Permit;
import io.holdfast.reactor.ReactorLock;
import io.holdfast.recipes.LeaderElection;
import io.holdfast.recipes.Leadership;
import io.holdfast.recipes.QuorumLease;
import io.holdfast.recipes.QuorumLock;
import io.holdfast.recipes.SegmentLease;
import io.holdfast.recipes.SegmentedLock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/** The code of docs/locks.md. */
final class Locks {

    private final Orders orders;

    Locks(Orders orders) {
        this.orders = orders;
    }

    void fair(Holdfast holdfast) throws InterruptedException {
        // region locks-fair
        DistributedLock counter = holdfast.fairLock("counter/7");
        try (Lease lease = counter.acquire(Duration.ofMinutes(1))) {
            orders.ship(7, lease.fencingToken());
        }
        // endregion
    }

    boolean readWrite(Holdfast holdfast) {
        // region locks-read-write
        DistributedReadWriteLock book = holdfast.readWriteLock("orders");
        book.writeLock().lock();
        try {
            orders.ship(7, book.writeLock().fencingToken());
            book.readLock().lock(); // a writer may also acquire the read lock (downgrading)
        } finally {
            book.writeLock().unlock();
        }
        try {
            return orders.isShipped(7);
        } finally {
            book.readLock().unlock();
        }
        // endregion
    }

    Mono<Boolean> reactor(Holdfast holdfast, Mono<Boolean> payment) {
        // region locks-reactor
        ReactorLock<Lease> lock = ReactorLock.of(holdfast.lock("orders/42"));
        return lock.withLock(
                Duration.ofSeconds(10), lease -> payment.doOnSuccess(paid -> orders.ship(42, lease.fencingToken())));
        // endregion
    }

    void semaphore(Holdfast holdfast) throws InterruptedException {
        // region locks-semaphore
        DistributedSemaphore carriers = holdfast.semaphore("carriers");
        carriers.trySetPermits(8); // the first client sets the number
        try (Permit permit = carriers.acquire()) {
            orders.ship(7, permit.fencingToken());
        }
        // endregion
    }

    void latch(Holdfast holdfast) throws InterruptedException {
        // region locks-latch
        DistributedLatch loaded = holdfast.countDownLatch("loaded/7");
        loaded.trySetCount(1, Duration.ofHours(1));
        loaded.countDown(); // each loading worker
        loaded.await(); // each worker that needs all of them
        // endregion
    }

    void lingering(Holdfast holdfast) {
        // region locks-linger
        LockOptions mine = LockOptions.defaults().withLinger(Duration.ofSeconds(1));
        DistributedLock shelf = holdfast.lock("shelf/7", mine);
        for (int order = 1; order <= 100; order++) {
            int next = order;
            shelf.run(() -> orders.ship(next, shelf.fencingToken())); // only the first acquire calls the store
        }
        // endregion
    }

    void segmented(Holdfast holdfast) throws InterruptedException {
        // region locks-segmented
        SegmentedLock stock = SegmentedLock.of(holdfast, "stock/42", 8);
        try (SegmentLease lease = stock.acquireAny(Duration.ofSeconds(5))) {
            orders.ship(lease.segment(), lease.fencingToken());
        }
        // endregion
    }

    boolean sell(Holdfast holdfast, int buyer) throws InterruptedException {
        // region locks-without
        SegmentedLock shelves = SegmentedLock.of(holdfast, "stock/42", 8);
        while (!shelves.segments().isEmpty()) {
            try (SegmentLease lease = shelves.acquireAny()) {
                if (sellFrom(lease.segment(), buyer)) {
                    return true;
                }
                shelves = shelves.without(lease.segment()); // that one is sold out
            }
        }
        return false;
        // endregion
    }

    /** Only one shelf has stock. */
    private boolean sellFrom(int shelf, int buyer) {
        return shelf == buyer;
    }

    void quorum(Holdfast one, Holdfast two, Holdfast three) throws InterruptedException {
        // region locks-quorum
        QuorumLock lock = QuorumLock.of(List.of(one, two, three), "orders/42");
        try (QuorumLease lease = lock.acquire(Duration.ofSeconds(10))) {
            orders.ship(42, lease.fencingToken());
        }
        // endregion
    }

    void lead(Holdfast holdfast) throws InterruptedException {
        // region locks-leader
        LeaderElection election = LeaderElection.of(holdfast, "scheduler");
        try (Leadership leadership = election.campaign()) {
            while (leadership.isValid() && hasWork()) {
                orders.ship(42, leadership.fencingToken());
            }
        }
        // endregion
    }

    private boolean hasWork() {
        return !orders.isShipped(42);
    }

    LeaderElection.Watch watch(Holdfast holdfast, Consumer<Optional<LockReport.Holder>> route) {
        // region locks-watch
        LeaderElection election = LeaderElection.of(holdfast, "scheduler");
        LeaderElection.Watch watch = election.watch(Duration.ofSeconds(2), leader -> route.accept(leader));
        // endregion
        return watch;
    }
}
