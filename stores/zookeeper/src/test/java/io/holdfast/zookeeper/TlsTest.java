package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.StoreException;
import io.holdfast.testkit.StoreClient;
import io.holdfast.testkit.cluster.Certificates;
import io.holdfast.testkit.cluster.Ports;
import io.holdfast.testservers.ZooKeeperServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with TLS under an authority that no JVM knows, which asks clients for a certificate. */
class TlsTest {

    @TempDir
    static Path folder;

    private static Certificates certificates;
    private static ZooKeeperServers ensemble;
    private static int port;
    private static Path own;

    @BeforeAll
    static void start() throws IOException {
        certificates = new Certificates(folder);
        own = keyStore("client");
        port = Ports.free();
        ensemble = new ZooKeeperServers(List.of(
                "serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
                "secureClientPortAddress=127.0.0.1",
                "secureClientPort=" + port,
                "ssl.keyStore.location=" + keyStore("server", "-ext", "san=ip:127.0.0.1"),
                "ssl.trustStore.location=" + certificates.authority()));
    }

    @AfterAll
    static void end() {
        ensemble.close();
    }

    /** Returns a file with a certificate and its key. */
    private static Path keyStore(String name, String... extensions) throws IOException {
        Path certificate = certificates.signed(name, extensions);
        return Files.writeString(
                folder.resolve(name + "-store.pem"),
                Files.readString(certificates.file(name + ".key")) + Files.readString(certificate));
    }

    private static StoreClient client(String options) {
        return client(options, Duration.ofSeconds(20));
    }

    private static StoreClient client(String options, Duration connect) {
        return new StoreClient(
                new ZooKeeperStoreProvider(),
                "zookeeper://127.0.0.1:" + port + "?session=20s&tick=200ms" + options,
                config -> config.withTimeouts(config.commandTimeout(), connect));
    }

    private static void assertIsNotConnected(String options) {
        assertThatThrownBy(() -> client(options, Duration.ofSeconds(2)).close()).isInstanceOf(StoreException.class);
    }

    private static String trusted() {
        return "&ssl.trustStore.location=" + certificates.authority();
    }

    @Test
    void aClientWithACertificateIsServed() {
        try (StoreClient client = client(trusted() + "&ssl.keyStore.location=" + own)) {
            client.granted("secure", 1);
            assertThat(client.release("secure", 1).held()).isTrue();
        }
    }

    @Test
    void aClientWithoutACertificateIsNotConnected() {
        assertIsNotConnected(trusted());
    }

    @Test
    void aClientThatDoesNotTrustTheServerIsNotConnected() {
        assertIsNotConnected("&ssl.keyStore.location=" + own);
    }

    @Test
    void aFileThatCannotBeReadIsNamed() {
        Path none = folder.resolve("none.pem");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> client("&ssl.trustStore.location=" + none).close())
                .withMessage("ssl.trustStore.location: the file " + none + " cannot be read");
    }

    @Test
    void aFileThatIsHalfWrittenIsNamed() throws IOException {
        Path half = folder.resolve("half.pem");
        String text = Files.readString(own);
        Files.writeString(half, text.substring(0, text.length() - 100));
        assertThatThrownBy(() -> client(trusted() + "&ssl.keyStore.location=" + half, Duration.ofSeconds(3))
                        .close())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(
                        "the file of the option ssl.keyStore.location has no complete certificate: " + half);
        Files.copy(own, half, StandardCopyOption.REPLACE_EXISTING);
        client(trusted() + "&ssl.keyStore.location=" + half).close();
    }
}
