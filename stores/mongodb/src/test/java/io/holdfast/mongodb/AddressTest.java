package io.holdfast.mongodb;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.Holdfast;
import io.holdfast.LockReport;
import io.holdfast.Safety;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
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
}
