package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockReport;
import io.holdfast.redis.connection.Driver;
import io.holdfast.redis.connection.RedisAddress;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.testkit.Await;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.protocol.ProtocolVersion;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Locks beside what an application does with a client of its own. */
@Tag("everywhere")
class ExistingClientTest {

    private static Holdfast using(AbstractRedisClient client, String uri) {
        return Holdfast.builder()
                .uri(uri)
                .provider(RedisStoreProvider.using(client))
                .build();
    }

    /** What is sent again on another connection may be a copy that nobody waits for. */
    @Test
    void itsConnectionsForLocksDoNotReconnectByThemselves() {
        RedisClient client = RedisClient.create();
        String uri = Servers.shared().uri();
        LockReport.Client identity = LockReport.Client.unknown("c");
        Driver driver = new Driver(
                StoreConfig.of(uri, identity, Platform.system()), RedisAddress.parse(uri), Optional.of(client));
        try {
            assertThat(driver.client.getOptions().isAutoReconnect()).isFalse();
            assertThat(driver.client.getOptions().getProtocolVersion()).isEqualTo(ProtocolVersion.RESP3);
        } finally {
            driver.close();
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    /** It reconnects by itself, and speaks the older protocol, neither of which locks can use. */
    @Test
    void itsThreadsAreSharedAndItStaysAsItWas() throws InterruptedException {
        Servers servers = Servers.shared();
        RedisClient client = RedisClient.create(servers.uri());
        try {
            client.setOptions(ClientOptions.builder()
                    .protocolVersion(ProtocolVersion.RESP2)
                    .build());
            try (StatefulRedisConnection<String, String> connection = client.connect()) {
                String name = Servers.name();
                try (Holdfast holdfast = using(client, servers.uri());
                        Lease lease = holdfast.lock(name).acquire()) {
                    assertThat(lease.isValid()).isTrue();
                    assertThat(Thread.getAllStackTraces().keySet())
                            .noneMatch(
                                    thread -> thread.getName().startsWith("holdfast-" + holdfast.clientId() + "-redis-")
                                            && !thread.getName().endsWith("-timer"));
                    servers.cut("holdfast-" + holdfast.clientId());
                    Await.until(
                            "it is connected again",
                            () -> holdfast.lock(name).holder().isPresent());
                }
                assertThat(connection.sync().ping()).isEqualTo("PONG");
            }
            assertThat(client.getOptions().isAutoReconnect()).isTrue();
            assertThat(client.connect().sync().ping()).isEqualTo("PONG");
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    @Test
    void aClientOfAClusterServesAsWell() throws InterruptedException {
        RedisClusterClient client =
                RedisClusterClient.create(RedisURI.create(Servers.shared().uri()));
        try (Holdfast holdfast = using(client, Servers.shared().uri());
                Lease lease = holdfast.lock(Servers.name()).acquire()) {
            assertThat(lease.isValid()).isTrue();
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }
}
