package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
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
        assertThat(told(7, "10.0.0.2")).isEqualTo(new Told(true, 7, List.of(new Told.Range(0, 16_383, master))));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "?"})
    void aNodeThatDoesNotKnowItsNameIsWhereItWasAsked(String host) {
        assertThat(told(7, host).ranges().get(0).master().host()).isEqualTo("10.0.0.1");
    }

    private static Told told(boolean sound, long epoch, String id, int slots) {
        return new Told(sound, epoch, List.of(new Told.Range(0, slots - 1, new Told.Node(id, "h", 1))));
    }

    @Test
    void whoIsBelieved() {
        Told known = told(true, 10, "a", 16_384);
        assertBelieved(known, told(true, 9, "a", 16_384), "an earlier epoch");
        assertBelieved(known, told(false, 12, "a", 16_384), "one that was cut off, and raised its epoch");
        assertBelieved(known, told(true, 10, "a", 100), "one that has not heard of all");
        assertBelieved(known, told(true, 20, "z", 16_384), "one of another cluster");
    }

    private static void assertBelieved(Told right, Told wrong, String what) {
        for (List<Told> answers : List.of(List.of(right, wrong), List.of(wrong, right))) {
            assertThat(Survey.latest(
                            answers.stream()
                                    .map(CompletableFuture::completedFuture)
                                    .toList(),
                            Told.latest(Set.of("a", "b"))))
                    .as(what)
                    .isEqualTo(right);
        }
    }
}
