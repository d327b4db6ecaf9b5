package io.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.Observation.Context;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each acquire and each hold is an observation with the right parent. */
@Tag("everywhere")
class HoldfastObservationsTest {

    private final String uri = "memory:" + UUID.randomUUID();
    private final Holdfast client = Holdfast.connect(uri);
    private final Holdfast other = Holdfast.connect(uri);
    private final ObservationRegistry registry = ObservationRegistry.create();
    private final List<Context> ended = new CopyOnWriteArrayList<>();

    @BeforeEach
    void observe() {
        registry.observationConfig().observationHandler(new ObservationHandler<Context>() {
            @Override
            public boolean supportsContext(Context context) {
                return true;
            }

            @Override
            public void onStop(Context context) {
                ended.add(context);
            }
        });
        client.addObserver(HoldfastObservations.of(client, registry).withNames(LockNames.before('/')));
    }

    @AfterEach
    void close() {
        client.close();
        other.close();
    }

    private static String low(Context context, String key) {
        KeyValue value = Objects.requireNonNull(context.getLowCardinalityKeyValue(key));
        return value.getValue();
    }

    @Test
    void anAcquireAndItsHoldAreSiblings() {
        Observation parent = Observation.start("request", registry);
        try (Observation.Scope scope = parent.openScope()) {
            assertThat(scope.getCurrentObservation()).isSameAs(parent);
            client.lock("orders/42").run(() -> assertThat(ended).hasSize(1));
        }
        parent.stop();
        assertThat(ended)
                .extracting(Context::getName)
                .containsExactly("holdfast.lock.acquire", "holdfast.lock.hold", "request");
        assertThat(ended.subList(0, 2)).allSatisfy(context -> {
            assertThat(context.getParentObservation()).isSameAs(parent);
            assertThat(low(context, "name")).isEqualTo("orders");
            assertThat(low(context, "store")).isEqualTo("memory");
            assertThat(low(context, "kind")).isEqualTo("lock");
            assertThat(context.getHighCardinalityKeyValues())
                    .contains(KeyValue.of("holdfast.name", "orders/42"))
                    .anyMatch(value -> value.getKey().equals("holdfast.token"));
        });
        assertThat(ended.get(0).getContextualName()).isEqualTo("acquire lock");
        assertThat(low(ended.get(0), "outcome")).isEqualTo("acquired");
        assertThat(low(ended.get(1), "outcome")).isEqualTo("released");
    }

    @Test
    void aFutureKeepsTheParentOfTheThreadThatAsked() throws Exception {
        other.lock("n").lock();
        Observation parent = Observation.start("request", registry);
        var scope = parent.openScope();
        var future = client.lock("n").async().acquire();
        scope.close();
        other.lock("n").unlock();
        future.get(10, TimeUnit.SECONDS).closeAsync().get(10, TimeUnit.SECONDS);
        assertThat(ended).hasSize(2).allMatch(context -> context.getParentObservation() == parent);
    }

    @Test
    void aRefusalIsAnOutcomeAndNoError() {
        other.lock("n").lock();
        assertThat(client.lock("n").tryLock()).isFalse();
        assertThat(ended).singleElement().satisfies(context -> {
            assertThat(low(context, "outcome")).isEqualTo("timed-out");
            assertThat(context.getError()).isNull();
        });
        other.lock("n").unlock();
    }

    @Test
    void aLossIsAnError() throws InterruptedException {
        Lease lease = client.lock("n").tryAcquire().orElseThrow();
        assertThat(other.lock("n").forceUnlock()).isTrue();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (ended.size() < 2 && System.nanoTime() - deadline < 0) {
            Thread.sleep(10);
        }
        assertThat(ended).hasSize(2);
        assertThat(low(ended.get(1), "outcome")).isEqualTo("lost");
        assertThat(ended.get(1).getError())
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        loss -> assertThat(loss.fencingToken()).isEqualTo(lease.fencingToken()));
    }
}
