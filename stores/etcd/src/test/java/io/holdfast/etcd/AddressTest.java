package io.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.etcd.connection.Settings;
import io.holdfast.etcd.connection.Settings.Login;
import io.holdfast.etcd.connection.Settings.Tls;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("everywhere")
class AddressTest {

    @Test
    void everythingHasADefault() {
        assertThat(Address.parse("etcd://one"))
                .isEqualTo(new Settings(
                        List.of("one:2379"), Optional.empty(), Optional.empty(), "holdfast/", Duration.ofSeconds(30)));
    }

    @Test
    void everythingCanBeStated() {
        Settings settings = Address.parse(
                "etcds://app:p%40ss+word@one:2380,[::1]:2381,three/a/b/?session=10s&ca=/c%20a.pem&cert=/c.pem&key=/k.pem");
        assertThat(settings)
                .isEqualTo(new Settings(
                        List.of("one:2380", "[::1]:2381", "three:2379"),
                        Optional.of(new Login("app", "p@ss+word")),
                        Optional.of(new Tls(
                                Optional.of(Path.of("/c a.pem")),
                                Optional.of(Path.of("/c.pem")),
                                Optional.of(Path.of("/k.pem")))),
                        "a/b/holdfast/",
                        Duration.ofSeconds(10)));
        assertThat(settings.address()).isEqualTo("etcd at one:2380,[::1]:2381,three:2379/a/b/holdfast/");
        assertThat(settings.toString()).doesNotContain("p@ss");
    }

    @Test
    void withoutFilesTheAuthoritiesOfTheJdkAreTrusted() {
        assertThat(Address.parse("etcds://one").tls())
                .contains(new Tls(Optional.empty(), Optional.empty(), Optional.empty()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "etcd:one",
                "etcd://",
                "etcd://one:port",
                "etcd://one,,two",
                "etcd://secret@one",
                "etcd://one//a",
                "http://one"
            })
    void anotherFormIsRefused(String uri) {
        assertThatThrownBy(() -> Address.parse(uri))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("secret");
    }

    @ParameterizedTest
    @CsvSource({
        "etcd://one?session=30, session is not understood",
        "etcd://one?session=900ms, session is not understood",
        "etcd://one?session=0s, session=0s is out of range",
        "etcd://one?session=121s, session=121s is out of range",
        "etcd://one?sesion=30s, etcd has no option 'sesion'",
        "etcd://one?ca=/c.pem, [ca] are options of TLS; write etcds://",
        "etcds://one?cert=/c.pem, a certificate of the client has a key"
    })
    void anImpossibleOptionIsRefused(String uri, String reason) {
        assertThatThrownBy(() -> Address.parse(uri))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(reason);
    }
}
