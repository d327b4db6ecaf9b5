package io.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.StoreException;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import io.holdfast.testkit.cluster.Certificates;
import io.holdfast.testservers.EtcdServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that speaks TLS under an authority that no JVM knows, and asks clients for a certificate. */
@Tag("etcd")
class TlsTest {

    @TempDir
    static Path folder;

    private static Certificates certificates;
    private static EtcdServers ensemble;

    @BeforeAll
    static void start() {
        certificates = new Certificates(folder);
        certificates.signed("server", "-ext", "san=ip:127.0.0.1");
        certificates.signed("client");
        ensemble = new EtcdServers(
                1,
                List.of(
                        "--cert-file=" + certificates.file("server.pem"),
                        "--key-file=" + certificates.file("server.key"),
                        "--trusted-ca-file=" + certificates.authority(),
                        "--client-cert-auth=true"));
    }

    @AfterAll
    static void end() {
        ensemble.close();
    }

    private static StoreClient client(String options) {
        return client(options, Duration.ofSeconds(20));
    }

    private static StoreClient client(String options, Duration connect) {
        return new StoreClient(
                new EtcdStoreProvider(),
                "etcds://" + ensemble.servers() + "?" + options,
                config -> config.withTimeouts(config.commandTimeout(), connect));
    }

    private static void assertServes(String options) {
        Await.until("the server is up", () -> {
            try (StoreClient client = client(options)) {
                client.granted("secure", 1);
                return client.release("secure", 1).held();
            } catch (StoreException e) {
                return false;
            }
        });
    }

    @Test
    void aClientWithACertificateIsServed() {
        assertServes(certificates.ofClient("client"));
    }

    @Test
    void aClientThatDoesNotTrustTheServerIsNotConnected() {
        assertThatThrownBy(() -> client("session=10s", Duration.ofSeconds(2)).close())
                .isInstanceOf(StoreException.class);
    }

    @Test
    void aFileThatIsNoCertificateIsNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> client("ca=" + folder.resolve("none.pem")).close())
                .withMessageContaining("the files of ca, cert and key cannot be used");
    }

    @ParameterizedTest
    @CsvSource({"ca, certificate", "cert, certificate", "key, private key"})
    void aFileThatIsHalfWrittenOrEmptyIsNamedAndReadAgain(String option, String content) throws IOException {
        Path file = folder.resolve("half-" + option + ".pem");
        Map<String, Path> files = new HashMap<>(Map.of(
                "ca", certificates.authority(),
                "cert", certificates.file("client.pem"),
                "key", certificates.file("client.key")));
        String whole = Files.readString(files.put(option, file));
        String options = files.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining("&"));
        for (String text : List.of(whole.substring(0, whole.length() / 2), "")) {
            Files.writeString(file, text);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> client(options).close())
                    .withMessageContaining(
                            "the file of the option " + option + " has no complete " + content + ": " + file);
        }
        Files.writeString(file, whole);
        assertServes(options);
    }
}
