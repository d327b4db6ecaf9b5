package io.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.holdfast.Holdfast;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.Simulation;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The meters say what the client did, and how long it took. */
class HoldfastMetricsTest {

    private final Simulation sim = Simulation.of(1);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, new SimulatedClock());
    private final Holdfast client = client();
    private final Holdfast other = client();

    HoldfastMetricsTest() {
        sim.server("s");
    }

    private final class SimulatedClock implements Clock {

        @Override
        public long wallTime() {
            return sim.wallMillis();
        }

        @Override
        public long monotonicTime() {
            return sim.nanoTime();
        }
    }

    private Holdfast client() {
        sim.server("s");
        return Holdfast.builder().uri("simulated:s").platform(sim).build();
    }

    @AfterEach
    void close() {
        client.close();
        other.close();
        sim.close();
    }

    private Timer timer(String meter, String kind, String outcome) {
        return registry.get(meter).tags("kind", kind, "outcome", outcome).timer();
    }

    private double value(String meter) {
        sim.runFor(Duration.ofSeconds(1));
        return registry.get(meter).meter().measure().iterator().next().getValue();
    }

    @Test
    void anAcquireAndAHoldAreTimed() {
        HoldfastMetrics.of(client).bindTo(registry);
        other.lock("n").lock();
        SimThread waiter = sim.start("waiter", () -> client.lock("n").run(() -> sim.sleep(Duration.ofSeconds(3))));
        sim.runFor(Duration.ofSeconds(2));
        other.lock("n").unlock();
        waiter.join();
        assertThat(timer("holdfast.acquire", "lock", "acquired").totalTime(TimeUnit.SECONDS))
                .isCloseTo(2, within(0.1));
        assertThat(timer("holdfast.hold", "lock", "released").totalTime(TimeUnit.SECONDS))
                .isCloseTo(3, within(0.1));
    }

    @Test
    void anOutcomeHasATimerOfItsOwn() throws InterruptedException {
        HoldfastMetrics.of(client).bindTo(registry);
        other.lock("n").lock();
        assertThat(client.fairLock("n").tryLock(Duration.ofSeconds(1))).isFalse();
        client.lock("m").tryLock(Duration.ZERO, Duration.ofSeconds(1));
        sim.runFor(Duration.ofSeconds(2));
        assertThat(timer("holdfast.acquire", "fair-lock", "timed-out").count()).isOne();
        assertThat(timer("holdfast.hold", "lock", "lost").count()).isOne();
        assertThat(value("holdfast.losses")).isOne();
        assertThat(registry.get("holdfast.events")
                        .tag("event", "lost")
                        .counter()
                        .count())
                .isOne();
        other.lock("n").unlock();
    }

    @Test
    void countersAndGaugesAreReadFromTheClient() {
        HoldfastMetrics.of(client).bindTo(registry);
        client.lock("n").lock();
        assertThat(value("holdfast.grants")).isOne();
        assertThat(value("holdfast.held")).isOne();
        assertThat(value("holdfast.lease.shortest")).isBetween(15.0, 30.0);
        assertThat(value("holdfast.store.failing")).isZero();
        client.lock("n").unlock();
        assertThat(value("holdfast.releases")).isOne();
        assertThat(value("holdfast.held")).isZero();
        assertThat(value("holdfast.lease.shortest")).isNaN();
    }

    @Test
    void theNameOfALockIsNoTagByDefault() {
        HoldfastMetrics.of(client).bindTo(registry);
        client.lock("orders/42").run(() -> {});
        assertThat(registry.getMeters()).allSatisfy(meter -> {
            assertThat(meter.getId().getName()).startsWith("holdfast.");
            assertThat(meter.getId().getTag("store")).isEqualTo("simulated");
            assertThat(meter.getId().getTag("name")).isNull();
            assertThat(meter.getId().getDescription()).isNotBlank();
        });
    }

    @Test
    void namesAreTagsByAFunction() {
        HoldfastMetrics.of(client).withNames(LockNames.before('/')).bindTo(registry);
        for (int i = 0; i < 100; i++) {
            client.lock("orders/" + i).run(() -> {});
        }
        client.lock("plain").run(() -> {});
        assertThat(registry.get("holdfast.acquire")
                        .tag("name", "orders")
                        .timer()
                        .count())
                .isEqualTo(100);
        assertThat(registry.get("holdfast.acquire").timers())
                .extracting(timer -> timer.getId().getTag("name"))
                .containsExactlyInAnyOrder("orders", "plain");
    }

    @Test
    void namesThatAreNotListedAreOne() {
        HoldfastMetrics.of(client).withNames(LockNames.only(List.of("billing"))).bindTo(registry);
        client.lock("billing").run(() -> {});
        client.lock("orders/1").run(() -> {});
        client.lock("orders/2").run(() -> {});
        assertThat(registry.get("holdfast.acquire").tag("name", "other").timer().count())
                .isEqualTo(2);
    }

    @Test
    void tagsAndPercentilesAreByChoice() {
        HoldfastMetrics.of(client)
                .withTags(Tags.of("client", "billing"))
                .withPercentiles(0.5, 0.99)
                .bindTo(registry);
        client.lock("n").run(() -> {});
        assertThat(registry.getMeters().stream()
                        .map(Meter::getId)
                        .filter(id -> !id.getName().endsWith(".percentile")))
                .allMatch(id -> "billing".equals(id.getTag("client")));
        assertThat(timer("holdfast.acquire", "lock", "acquired").takeSnapshot().percentileValues())
                .hasSize(2);
    }

    @Test
    void aScrapeReadsTheClientOnce() {
        MockClock clock = new MockClock();
        SimpleMeterRegistry fixed = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
        HoldfastMetrics.of(client).bindTo(fixed);
        client.lock("n").run(() -> {});
        assertThat(fixed.get("holdfast.grants").functionCounter().count()).isZero();
        clock.add(Duration.ofSeconds(1));
        assertThat(fixed.get("holdfast.grants").functionCounter().count()).isOne();
    }
}
