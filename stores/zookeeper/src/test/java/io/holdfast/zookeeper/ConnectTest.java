package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.StoreUnavailableException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A first connection that cannot be made. */
class ConnectTest {

    private static final Duration LIMIT = Duration.ofSeconds(3);

    /** Nobody listens on port 1. */
    @Test
    void triesForTheConnectTimeoutWhereNobodyListens() {
        assertGivesUp(1, LIMIT);
    }

    /** The process may still be loading classes. */
    @Test
    void triesForFourTimesAsLongWhereAServerIsSilent() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress())) {
            assertGivesUp(silent.getLocalPort(), LIMIT.multipliedBy(4));
        }
    }

    private static void assertGivesUp(int port, Duration after) {
        long start = System.nanoTime();
        assertThatThrownBy(() -> Holdfast.builder()
                        .uri("zookeeper://127.0.0.1:" + port)
                        .connectTimeout(LIMIT)
                        .build())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("within " + after.toMillis() + " ms");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(after);
    }
}
