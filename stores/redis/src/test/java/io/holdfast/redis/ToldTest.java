package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What nodes tell of their cluster. */
class ToldTest {

    private static Told told(long epoch, String host) {
        String info = "cluster_state:ok\r\ncluster_current_epoch:" + epoch + "\r\ncluster_my_epoch:1\r\n";
        List<Object> master = Arrays.asList(host, 7001L, "id", List.of());
        return Told.of(info, List.of(List.of(0L, 16_383L, master, List.of("10.0.0.9", 7002L, "replica"))), "10.0.0.1");
    }

    @Test
    void aRangeHasItsMaster() {
        Told.Node master = new Told.Node("id", "10.0.0.2", 7001);
        assertThat(told(7, "10.0.0.2")).isEqualTo(new Told(7, List.of(new Told.Range(0, 16_383, master))));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "?"})
    void aNodeThatDoesNotKnowItsNameIsWhereItWasAsked(String host) {
        assertThat(told(7, host).ranges().get(0).master().host()).isEqualTo("10.0.0.1");
    }

    @Test
    void whoKnowsOfTheLatestEpochIsBelieved() {
        List<CompletableFuture<Told>> answers = List.of(
                CompletableFuture.completedFuture(told(9, "old")), CompletableFuture.completedFuture(told(10, "new")));
        assertThat(Survey.latest(answers, Told.LATEST)).isEqualTo(told(10, "new"));
    }
}
