package io.holdfast.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What nodes tell of their cluster. */
class ClusterTopologyTest {

    private static ClusterTopology topology(long epoch, String host) {
        String info = "cluster_state:ok\r\ncluster_current_epoch:" + epoch + "\r\ncluster_my_epoch:1\r\n";
        List<Object> master = Arrays.asList(host, 7001L, "id", List.of());
        return ClusterTopology.of(
                info, List.of(List.of(0L, 16_383L, master, List.of("10.0.0.9", 7002L, "replica"))), "10.0.0.1");
    }

    @Test
    void aRangeHasItsMaster() {
        ClusterTopology.Node master = new ClusterTopology.Node("id", "10.0.0.2", 7001);
        assertThat(topology(7, "10.0.0.2"))
                .isEqualTo(new ClusterTopology(true, 7, List.of(new ClusterTopology.Range(0, 16_383, master))));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "?"})
    void aNodeThatDoesNotKnowItsNameIsWhereItWasAsked(String host) {
        assertThat(topology(7, host).ranges().get(0).master().host()).isEqualTo("10.0.0.1");
    }

    private static ClusterTopology topology(boolean sound, long epoch, String id, int slots) {
        return new ClusterTopology(
                sound, epoch, List.of(new ClusterTopology.Range(0, slots - 1, new ClusterTopology.Node(id, "h", 1))));
    }

    @Test
    void whoIsBelieved() {
        ClusterTopology known = topology(true, 10, "a", 16_384);
        assertBelieved(known, topology(true, 9, "a", 16_384), "an earlier epoch");
        assertBelieved(known, topology(false, 12, "a", 16_384), "one that was cut off, and raised its epoch");
        assertBelieved(known, topology(true, 10, "a", 100), "one that has not heard of all");
        assertBelieved(known, topology(true, 20, "z", 16_384), "one of another cluster");
    }

    private static void assertBelieved(ClusterTopology right, ClusterTopology wrong, String what) {
        for (List<ClusterTopology> answers : List.of(List.of(right, wrong), List.of(wrong, right))) {
            assertThat(Collections.max(answers, ClusterTopology.latest(Set.of("a", "b"))))
                    .as(what)
                    .isEqualTo(right);
        }
    }
}
