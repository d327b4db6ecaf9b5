package io.holdfast.examples.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.embedded.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs what README and docs show, in memory and on Redis. */
class GuideTest {

    private static RedisServer redis;

    private final Orders orders = new Orders();

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    static List<String> stores() {
        return List.of("memory:", redis.uri());
    }

    @ParameterizedTest
    @MethodSource("stores")
    void quickStart(String store) throws InterruptedException {
        QuickStart lock = new QuickStart();
        lock.lock(store);
        assertThat(lock.orders().isShipped(42)).isTrue();
        QuickStart lease = new QuickStart();
        try (Holdfast holdfast = Holdfast.connect(store)) {
            lease.lease(holdfast);
            assertThat(holdfast.lock("orders/42").isLocked()).isFalse();
        }
        assertThat(lease.orders().isShipped(42)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("stores")
    void guarding(String store) throws InterruptedException {
        try (Holdfast holdfast = Holdfast.connect(store)) {
            DistributedLock lock = holdfast.lock("orders/42");
            Guarding guarding = new Guarding(orders);
            guarding.fence(lock);
            guarding.check(lock);
            guarding.stop(lock);
            assertThat(lock.isLocked()).isFalse();
        }
        assertThat(orders.isShipped(42)).isTrue();
        assertThatThrownBy(() -> orders.ship(42, 1)).hasMessageContaining("token 1 is older");
    }

    @ParameterizedTest
    @MethodSource("stores")
    void tuning(String store) throws InterruptedException {
        List<LockEvent> alarms = new CopyOnWriteArrayList<>();
        try (Holdfast holdfast = new Tuning().client(store, alarms::add)) {
            DistributedLock lock = new Tuning().lock(holdfast);
            try (Lease lease = lock.acquire()) {
                assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(100));
            }
            assertThat(holdfast.stats().grants()).isEqualTo(1);
        }
        assertThat(alarms).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("stores")
    void migrating(String store) throws InterruptedException {
        try (Holdfast holdfast = Holdfast.connect(store)) {
            assertThat(new Migrating(orders).tryLock(holdfast)).isTrue();
        }
        assertThat(orders.isShipped(42)).isTrue();
    }

    @Test
    void anOrderRefusesAnOlderToken() {
        orders.ship(1, 7);
        orders.ship(1, 7);
        assertThatThrownBy(() -> orders.ship(1, 6)).isInstanceOf(IllegalStateException.class);
    }
}
