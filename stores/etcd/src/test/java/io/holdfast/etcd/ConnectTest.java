package io.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.StoreUnavailableException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A first connection that cannot be made. */
class ConnectTest {

    private static final Duration LIMIT = Duration.ofSeconds(3);

    /** Nobody listens on port 1. Only a server that is silent is waited for four times as long. */
    @Test
    void triesForTheConnectTimeoutWhereNobodyListens() {
        long start = System.nanoTime();
        assertThatThrownBy(() -> Holdfast.builder()
                        .uri("etcd://127.0.0.1:1")
                        .connectTimeout(LIMIT)
                        .build())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("within 3000 ms");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(LIMIT);
    }
}
