package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.StoreException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the answers of a server that cannot do it are taken for. */
class FailuresTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "MOVED 866 127.0.0.1:7001",
                "ASK 866 127.0.0.1:7001",
                "TRYAGAIN Multiple keys request during rehashing of slot",
                "CROSSSLOT Keys in request don't hash to the same slot",
                "CLUSTERDOWN Hash slot not served"
            })
    void aClusterHasDoneNothingAndIsNamed(String answer) {
        StoreException failure = new Failures(Address.parse("redis://host")).answer("take locks", answer);
        assertThat(failure.effect()).isEqualTo(StoreException.Effect.NOT_APPLIED);
        assertThat(failure).hasMessageContainingAll("take locks", "it belongs to a cluster", answer);
    }
}
