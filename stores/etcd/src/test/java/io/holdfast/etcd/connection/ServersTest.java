package io.holdfast.etcd.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.holdfast.spi.Platform;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that has failed is replaced by a connection that reads the files of TLS again. */
class ServersTest {

    private static final String CERTIFICATE = """
            -----BEGIN CERTIFICATE-----
            MIIBODCB3qADAgECAgkA1UkV0mwuLO4wCgYIKoZIzj0EAwIwDzENMAsGA1UEAxME
            dGVzdDAgFw0yNjExMjkxODAzNDJaGA8yMTI2MTEwNTE4MDM0MlowDzENMAsGA1UE
            AxMEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMbGstMOWKWlW7Qi1RHI
            HNvtLPtXy3X2/nXoBLfzvpHkMJa2DiwFXQlDyo2BXNJ88S2sy9Si74JdF3Hx8N0i
            CWajITAfMB0GA1UdDgQWBBQerIQhXvoMSzClf1LGNj4wTPZuGDAKBggqhkjOPQQD
            AgNJADBGAiEAqbHDgpP1URNATp2baWMNDFkjacyjewJ9asZx7qBDIggCIQDIlvm5
            M5j/2MSpjc/BW76711noJPijw1O8jyHvjUC89g==
            -----END CERTIFICATE-----
            """;

    private final Logger logger = Logger.getLogger(Servers.class.getName());
    private final List<String> warnings = new ArrayList<>();
    private final AtomicInteger downs = new AtomicInteger();
    private final Handler catcher = new Handler() {

        private final SimpleFormatter formatter = new SimpleFormatter();

        @Override
        public void publish(LogRecord line) {
            if (line.getLevel().equals(Level.WARNING)) {
                warnings.add(formatter.formatMessage(line));
                assertThat(line.getThrown()).isNull();
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @TempDir
    private Path folder;

    @BeforeEach
    void catchWarnings() {
        logger.addHandler(catcher);
    }

    @AfterEach
    void catchNoMore() {
        logger.removeHandler(catcher);
    }

    private Servers servers(Path authority) {
        Settings.Tls tls = new Settings.Tls(Optional.of(authority), Optional.empty(), Optional.empty());
        Settings settings = new Settings(
                List.of("127.0.0.1:1"), Optional.empty(), Optional.of(tls), "holdfast/", Duration.ofSeconds(30));
        return new Servers(settings, Platform.system(), Duration.ofSeconds(2), downs::incrementAndGet, () -> {});
    }

    private static void fail(Servers servers) {
        servers.failed(servers.present(), 0, Status.UNAVAILABLE.asRuntimeException());
    }

    @Test
    void warnsOnceOfEachFileThatIsHalfWrittenAndReadsItAgain() throws IOException {
        Path authority = Files.writeString(folder.resolve("ca.pem"), CERTIFICATE);
        Servers servers = servers(authority);
        for (int state = 1; state <= 2; state++) {
            Link last = servers.present();
            Files.writeString(authority, CERTIFICATE.substring(0, CERTIFICATE.length() / 2));
            fail(servers);
            Files.writeString(authority, "");
            fail(servers);
            assertThat(servers.present()).isSameAs(last);
            assertThat(warnings)
                    .hasSize(state)
                    .allMatch(warning -> warning.contains("option ca has no complete certificate"));
            Files.writeString(authority, CERTIFICATE);
            fail(servers);
            assertThat(servers.present()).isNotSameAs(last);
        }
        assertThat(downs).hasValue(1);
        servers.close();
    }
}
