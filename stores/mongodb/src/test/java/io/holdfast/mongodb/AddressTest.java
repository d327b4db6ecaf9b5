package io.holdfast.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.LockReport;
import io.holdfast.Safety;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("everywhere")
class AddressTest {

    private static void open(String uri) {
        StoreConfig config = StoreConfig.of(uri, LockReport.Client.unknown("test"), Platform.system());
        new MongoStoreProvider().open(config).close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mongodb:host",
                "mongodb://",
                "mongodb://app:secret@",
                "mongodb://app:sec@ret@host",
                "mongodb://app:secret@host:port",
                "mongodb://app:secret@host/?w"
            })
    void anotherFormIsRefusedWithoutThePassword(String uri) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> open(uri))
                .withMessageStartingWith("not an address of MongoDB: ")
                .withMessageNotContaining("secret")
                .withMessageNotContaining("sec@ret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "2"})
    void aWeakWriteConcernIsRefusedWithTheReason(String w) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> open("mongodb://host/?w=" + w))
                .withMessageContaining("a failover could forget a lock");
    }

    @Test
    void aLevelOfSafetyIsRefusedWithTheReason() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Holdfast.builder()
                        .uri(Servers.uri())
                        .safety(Safety.replicated(1))
                        .build())
                .withMessageContaining("every write waits for a majority");
    }

    @Test
    void aServerThatDoesNotListenIsReportedInTime() {
        long start = System.nanoTime();
        assertThatThrownBy(() -> Holdfast.builder()
                        .uri("mongodb://127.0.0.1:1/test")
                        .commandTimeout(Duration.ofMillis(500))
                        .build())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("MongoDB at 127.0.0.1:1/test")
                .hasMessageContaining("no primary could be reached");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
    }
}
