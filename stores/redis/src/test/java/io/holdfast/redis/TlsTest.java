package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.cluster.Certificates;
import io.holdfast.testkit.cluster.Ports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that speak TLS, under an authority that no JVM knows. */
@Tag("everywhere")
class TlsTest {

    private static final Duration SEVERAL_ATTEMPTS = Duration.ofMillis(300);

    @TempDir
    static Path folder;

    private static Certificates certificates;
    private static Servers trusting;
    private static Servers wary;
    private static int trustingPort;
    private static int waryPort;

    @BeforeAll
    static void start() {
        certificates = new Certificates(folder);
        certificates.signed("server", "-ext", "san=ip:127.0.0.1");
        certificates.signed("client");
        trustingPort = Ports.free();
        trusting = server(trustingPort, "no");
        waryPort = Ports.free();
        wary = server(waryPort, "yes");
    }

    private static Servers server(int port, String authenticate) {
        return Servers.start(
                Stream.concat(Stream.of("--tls-port", "" + port), Stream.of(Servers.tls(certificates, authenticate)))
                        .toArray(String[]::new));
    }

    @AfterAll
    static void stop() {
        trusting.close();
        wary.close();
    }

    private static String uri(int port, String... options) {
        return "rediss://127.0.0.1:" + port + "?" + String.join("&", options);
    }

    private static String authority() {
        return "ca=" + certificates.authority();
    }

    private static void assertWorks(String uri) throws InterruptedException {
        try (Holdfast client = Holdfast.connect(uri);
                Lease lease = client.lock("n").acquire()) {
            assertThat(client.lock("n").holder()).isPresent();
            assertThat(lease.remainingLease()).isGreaterThan(Duration.ofSeconds(20));
        }
    }

    private static void assertFails(String uri, String text) {
        assertThatThrownBy(() -> Holdfast.connect(uri).close())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContainingAll("Redis at rediss://127.0.0.1:", "cannot connect", text);
    }

    @Test
    void withItsAuthorityAServerIsTrusted() throws InterruptedException {
        assertWorks(uri(trustingPort, authority()));
    }

    @Test
    void withoutItsAuthorityItIsNot() {
        assertFails(
                "rediss://127.0.0.1:" + trustingPort,
                "its certificate is not signed by an authority that is trusted here; name one with ca=FILE");
    }

    @Test
    void aCertificateForAnotherHostIsRefused() {
        assertThatThrownBy(() -> Holdfast.connect(uri(trustingPort, authority()).replace("127.0.0.1", "localhost"))
                        .close())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("its certificate is for another host");
    }

    @Test
    void aServerThatWantsToKnowTheClientGetsItsCertificate() throws InterruptedException {
        assertWorks(uri(waryPort, certificates.ofClient("client")));
    }

    @Test
    void withoutOneItRefuses() {
        assertFails(
                uri(waryPort, authority()),
                "it requires a client certificate that it trusts; name yours with cert=FILE");
    }

    @Test
    void plainTextIsNotUnderstood() {
        assertThatThrownBy(() -> Holdfast.builder()
                        .uri("redis://127.0.0.1:" + trustingPort)
                        .connectTimeout(Duration.ofSeconds(5))
                        .build()
                        .close())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("whether it requires TLS");
    }

    /** As a certificate manager leaves them for a moment. The files are read again at each connect. */
    @ParameterizedTest
    @ValueSource(strings = {"ca", "cert", "key"})
    void namesAFileThatIsHalfWritten(String option) throws Exception {
        Path file = folder.resolve("half-" + option + ".pem");
        Map<String, Path> files = new HashMap<>(Map.of(
                "ca", certificates.authority(),
                "cert", certificates.file("client.pem"),
                "key", certificates.file("client.key")));
        String whole = Files.readString(files.put(option, file));
        Files.writeString(file, whole.substring(0, whole.length() / 2));
        String uri = uri(
                waryPort,
                files.entrySet().stream()
                        .map(each -> each.getKey() + "=" + each.getValue())
                        .toArray(String[]::new));
        assertFails(uri, "the file of the option " + option + " has no complete");
        try (LogLines log = new LogLines("no password", "half").foresee(ForeseenLines.ALWAYS);
                Holdfast client = impatient(uri)) {
            awaitFailureBecauseOf(file, client);
            Files.writeString(file, "");
            awaitFailureBecauseOf(file, client);
            Files.writeString(file, whole);
            Await.until("it connects", () -> failure(client).isEmpty());
            Files.writeString(file, "");
            wary.cut();
            Await.until("the loss is logged", () -> !warnings(log).isEmpty());
            awaitFailureBecauseOf(file, client);
            Thread.sleep(SEVERAL_ATTEMPTS.toMillis());
            awaitFailureBecauseOf(file, client);
            Files.writeString(file, whole);
            Await.until("it is connected again", () -> failure(client).isEmpty());
            Await.until("that is logged", () -> warnings(log).size() > 1);
            assertThat(warnings(log))
                    .satisfiesExactly(
                            line -> assertThat(line).contains("was lost"),
                            line -> assertThat(line).contains("is connected again"));
        }
    }

    private static Holdfast impatient(String uri) {
        return Holdfast.builder()
                .uri(uri)
                .name("client")
                .commandTimeout(Duration.ofMillis(500))
                .lazy()
                .build();
    }

    /** The text of a failure that is only a missing answer, as on a busy machine, does not name the file. */
    private static void awaitFailureBecauseOf(Path file, Holdfast client) {
        Await.until("the text names the file", () -> failure(client).orElse("").contains("" + file));
    }

    private static List<String> warnings(LogLines log) {
        return log.those(line -> line.level().equals(Level.WARNING)).stream()
                .map(LogLines.Line::text)
                .toList();
    }

    private static Optional<String> failure(Holdfast client) {
        try {
            client.lock("half").run(() -> {});
            return Optional.empty();
        } catch (HoldfastException e) {
            return Optional.of(e.getMessage());
        }
    }

    @Test
    void filesThatAreNotThereAreRefusedByName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Holdfast.connect(uri(trustingPort, "ca=/no/such.pem")))
                .withMessageContaining("the file of the option ca cannot be read: /no/such.pem");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Holdfast.connect(uri(trustingPort, "cert=" + certificates.authority())))
                .withMessageContaining("a certificate needs its key");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Holdfast.connect("redis://127.0.0.1?ca=/x"))
                .withMessageContaining("there is no option 'ca'");
    }
}
