package io.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The meters work on the class path and on the module path. */
@Tag("everywhere")
class PathsTest {

    @Test
    void anAcquireIsMeasured() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (Holdfast client = Holdfast.connect("memory:")) {
            HoldfastMetrics.of(client).withNames(LockNames.before('/')).bindTo(registry);
            client.lock("orders/42").run(() -> {});
            assertThat(registry.get("holdfast.acquire")
                            .tag("name", "orders")
                            .timer()
                            .count())
                    .isOne();
        }
    }
}
