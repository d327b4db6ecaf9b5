package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Safety;
import io.holdfast.StoreRefusedException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a Redis before 7.2 cannot do, as the bundled one. */
@Tag("bundled")
class OldServerTest {

    private static final String WHY =
            "it does not support WAITAOF; use Redis 7.2 or later, or Valkey (ERR unknown command 'WAITAOF'";

    private final Servers servers = Servers.shared();

    @Test
    void aClientThatWantsDisksIsRefused() {
        assertThatThrownBy(() -> Holdfast.builder()
                        .uri(servers.uri())
                        .safety(Safety.durable())
                        .build())
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("safety durable: " + WHY);
    }

    @Test
    void aClusterIsRefusedAsWell() {
        try (TestCluster cluster = new TestCluster(0)) {
            assertThatThrownBy(() -> Holdfast.builder()
                            .uri(cluster.uri())
                            .safety(Safety.durable(1))
                            .build())
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("safety durable(1): " + WHY);
        }
    }
}
