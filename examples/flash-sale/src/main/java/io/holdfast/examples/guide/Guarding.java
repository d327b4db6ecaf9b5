package io.holdfast.examples.guide;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.redis.RedisFence;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;

/** The code of docs/guarantees.md. */
final class Guarding {

    private final Orders orders;

    Guarding(Orders orders) {
        this.orders = orders;
    }

    void fence(DistributedLock lock) throws InterruptedException {
        // region guard-fence
        try (Lease lease = lock.acquire()) {
            orders.ship(42, lease.fencingToken()); // refuses a token lower than one it has seen
        }
        // endregion
    }

    void check(DistributedLock lock) throws InterruptedException {
        // region guard-check
        try (Lease lease = lock.acquire()) {
            prepare();
            lease.ensureValid(Duration.ofSeconds(2)); // throws unless the hold is valid for at least 2 s
            orders.ship(42, lease.fencingToken());
        }
        // endregion
    }

    void stop(DistributedLock lock) throws InterruptedException {
        // region guard-stop
        Thread worker = Thread.currentThread();
        try (Lease lease = lock.acquire()) {
            lease.onLost(loss -> worker.interrupt());
            orders.ship(42, lease.fencingToken());
        }
        // endregion
    }

    void write(DistributedLock lock, StatefulRedisConnection<String, String> connection) throws InterruptedException {
        // region guard-redis
        RedisFence fence = RedisFence.of(connection.sync());
        try (Lease lease = lock.acquire()) {
            fence.set("orders:42", lease.fencingToken(), "shipped"); // throws FencedOutException for an old token
        }
        // endregion
    }

    private void prepare() {}
}
