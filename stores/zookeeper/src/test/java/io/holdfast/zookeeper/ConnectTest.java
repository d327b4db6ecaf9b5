package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.cluster.ConnectRules;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A first connection that cannot be made. */
class ConnectTest extends ConnectRules {

    private static final Duration LIMIT = Duration.ofSeconds(3);

    ConnectTest() {
        super("zookeeper");
    }

    /** The other one of the two servers is silent. The first one that is tried is chosen at random. */
    @Test
    void namesTheServerAtWhichNothingListensAfterTheConnectTimeout() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            HoldfastBuilder builder = Holdfast.builder()
                    .uri("zookeeper://127.0.0.1:1,127.0.0.1:" + silent.getLocalPort())
                    .connectTimeout(LIMIT);
            long start = System.nanoTime();
            assertThatThrownBy(builder::build)
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("127.0.0.1:1: nothing listens there");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(LIMIT);
        }
    }
}
