package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server of MariaDB without TLS, as all before 11.4 are unless somebody gives them a certificate. */
@Timeout(120)
class MariaDbWithoutTlsTest {

    @Test
    void isRefusedAtOnceWithTheSettingThatIsMissing() {
        DatabaseServer server = Servers.mariaDb();
        Databases.client(server.uri()).close();
        String documented = server.uri().replace("&sslMode=disable", "");
        assertThatThrownBy(() -> Databases.client(documented).close())
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.effect()).isEqualTo(Effect.REFUSED))
                .hasMessageContaining("it offers no TLS")
                .hasMessageContaining("sslMode=disable");
    }
}
