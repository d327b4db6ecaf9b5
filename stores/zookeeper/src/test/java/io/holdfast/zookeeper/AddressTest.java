package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.zookeeper.connection.Settings;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressTest {

    @Test
    void everythingHasADefault() {
        Settings settings = Address.parse("zookeeper://zoo");
        assertThat(settings)
                .isEqualTo(new Settings(
                        "zoo:2181",
                        Optional.empty(),
                        "/holdfast",
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(2),
                        Map.of()));
    }

    @Test
    void everythingCanBeStated() {
        Settings settings = Address.parse("zk://app:p%40ss+word@zoo1:2182,[::1]:2183,zoo3/a/b/?session=10s&tick=500ms"
                + "&ssl.keyStore.password=a%26b");
        assertThat(settings)
                .isEqualTo(new Settings(
                        "zoo1:2182,[::1]:2183,zoo3:2181",
                        Optional.of("app:p@ss+word"),
                        "/a/b/holdfast",
                        Duration.ofSeconds(10),
                        Duration.ofMillis(500),
                        Map.of("ssl.keyStore.password", "a&b")));
        assertThat(settings.address()).isEqualTo("ZooKeeper at zoo1:2182,[::1]:2183,zoo3:2181/a/b/holdfast");
        assertThat(settings.toString()).doesNotContain("p@ss", "a&b");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "zookeeper:zoo",
                "zookeeper://",
                "zookeeper://zoo:port",
                "zookeeper://zoo,,zoo",
                "zookeeper://secret@zoo",
                "zookeeper://zoo//a",
                "redis://zoo"
            })
    void anotherFormIsRefused(String uri) {
        assertThatThrownBy(() -> Address.parse(uri))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("secret");
    }

    @ParameterizedTest
    @CsvSource({
        "session=30, session is not understood",
        "session=999ms, session=999ms is out of range",
        "session=121s, session=121s is out of range",
        "session=7s, session=7000ms is less than four ticks of 2000 ms",
        "tick=8s, session=30000ms is less than four ticks of 8000 ms",
        "sesion=30s, ZooKeeper has no option 'sesion'"
    })
    void anImpossibleOptionIsRefused(String option, String reason) {
        assertThatThrownBy(() -> Address.parse("zookeeper://zoo?" + option))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(reason);
    }
}
