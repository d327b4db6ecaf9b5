package io.holdfast.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("everywhere")
class TlsFileTest {

    private static final Optional<String> PASSWORD = Optional.of("secret");

    @TempDir
    Path folder;

    private Path path;

    @BeforeEach
    void path() {
        path = folder.resolve("file");
    }

    private TlsFile file() {
        return new TlsFile("ca", path);
    }

    private void keyStore(String type) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(type);
        store.load(null, null);
        try (OutputStream out = Files.newOutputStream(path)) {
            store.store(out, PASSWORD.orElseThrow().toCharArray());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"JKS", "PKCS12"})
    void aKeyStoreIsUsedWithItsPasswordOrWithoutOne(String type) throws Exception {
        keyStore(type);
        assertThat(file().wrongStore(PASSWORD)).isEmpty();
        assertThat(file().wrongStore(Optional.empty())).isEmpty();
        assertThat(file().wrongStore(Optional.of("other")))
                .contains("the file of the option ca is no complete key store, or has another password: " + path);
    }

    @ParameterizedTest
    @ValueSource(strings = {"JKS", "PKCS12"})
    void aKeyStoreThatIsHalfWrittenIsWrong(String type) throws Exception {
        keyStore(type);
        byte[] all = Files.readAllBytes(path);
        Files.write(path, Arrays.copyOf(all, all.length / 2));
        assertThat(file().wrongStore(PASSWORD)).isPresent();
        Files.write(path, new byte[0]);
        assertThat(file().wrongStore(PASSWORD)).isPresent();
    }

    @Test
    void aFileThatIsEmptyOrMissingIsWrong() throws IOException {
        assertThat(file().wrongCertificates())
                .contains("the file of the option ca has no complete certificate: " + path);
        Files.createFile(path);
        assertThat(file().wrongCertificates()).isPresent();
        assertThat(file().wrongKey()).contains("the file of the option ca has no complete private key: " + path);
        assertThat(file().wrongKeyAndCertificates()).isPresent();
    }

    @Test
    void aKeyAndItsCertificatesMayHaveAnyOrder() throws IOException {
        String key = "-----BEGIN PRIVATE KEY-----\nMII=\n-----END PRIVATE KEY-----\n";
        String certificate = "-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n";
        Files.writeString(path, certificate + key);
        assertThat(file().wrongKeyAndCertificates()).isEmpty();
        Files.writeString(path, key + certificate);
        assertThat(file().wrongKeyAndCertificates()).isEmpty();
        Files.writeString(path, certificate);
        assertThat(file().wrongKeyAndCertificates()).isPresent();
        Files.writeString(path, key);
        assertThat(file().wrongKeyAndCertificates())
                .contains("the file of the option ca has no complete certificate: " + path);
    }
}
