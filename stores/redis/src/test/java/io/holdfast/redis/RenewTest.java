package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RenewTest {

    private final Servers servers = Servers.shared();
    private final TestClient first = TestClient.open(servers.uri());
    private final TestClient second = TestClient.open(servers.uri());
    private final String name = Servers.name();

    @AfterEach
    void close() {
        first.close();
        second.close();
    }

    @Test
    void makesTheLeaseLongerAndNeverShorter() {
        first.granted(name, 1);
        renew(name, Duration.ofMinutes(1));
        assertThat(servers.redis.pttl(name)).isBetween(55_000L, 60_000L);
        renew(name, Duration.ofSeconds(20));
        assertThat(servers.redis.pttl(name)).isBetween(55_000L, 60_000L);
    }

    /** As somebody may have left it who restored it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aLeaseWithoutAnEndGetsOne(int tokens) {
        first.granted(name, 1);
        servers.redis.persist(name);
        assertThat(first.renew(List.of(new Renew(name, first.tenure(1), Duration.ofMinutes(1), tokens))))
                .allMatch(reply -> reply instanceof Renew.Renewed);
        assertThat(servers.redis.pttl(name)).isBetween(55_000L, 60_000L);
    }

    private Renew.Reply renew(String lock, Duration lease) {
        return first.renew(List.of(new Renew(lock, first.tenure(1), lease, 0))).get(0);
    }

    @Test
    void whatIsNotHeldIsLost() {
        assertThat(first.renew(name, 1)).isInstanceOf(Renew.Lost.class);
        second.granted(name, 1);
        assertThat(first.renew(name, 1)).isInstanceOf(Renew.Lost.class);
        assertThat(servers.keysOf(name)).containsExactly(name);
    }

    @Test
    void countsWaitersAndGivesTokensIfWanted() {
        Acquire.Granted granted = first.granted(name, 1);
        second.queued(name, 1);
        Renew.Renewed without = (Renew.Renewed) first.renew(name, 1);
        assertThat(without.foreignWaiters()).isEqualTo(1);
        assertThat(without.tokens()).isEmpty();
        Renew.Renewed with =
                (Renew.Renewed) first.renew(List.of(new Renew(name, first.tenure(1), TestClient.LEASE, 5_000)))
                        .get(0);
        assertThat(with.tokens().orElseThrow().first())
                .isGreaterThan(granted.tokens().last());
        assertThat(with.tokens().orElseThrow().last()
                        - with.tokens().orElseThrow().first()
                        + 1)
                .isEqualTo(5 * 1024);
        assertThat(with.serverMicros()).isGreaterThan(granted.serverMicros());
    }

    @Test
    void anEmptyBatchIsNoRequest() {
        assertThat(first.renew(List.of())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void oneBrokenKeyDisturbsNoOther(int tokens) {
        List<Renew> batch = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            first.granted(name + i, 1);
            batch.add(new Renew(name + i, first.tenure(1), Duration.ofSeconds(90), i == 7 ? 1 : tokens));
        }
        servers.redis.set(name + 1, "x");
        servers.redis.lpush(Servers.queueKey(name + 3), "x");
        servers.redis.del(name + 5);
        servers.redis.lpush(Servers.floorKey(name + 7), "x");
        List<Renew.Reply> replies = first.renew(batch);
        for (int i : new int[] {0, 2, 4, 6}) {
            assertThat(replies.get(i)).isInstanceOf(Renew.Renewed.class);
            assertThat(servers.redis.pttl(name + i)).isGreaterThan(80_000);
        }
        assertThat(replies.get(5)).isInstanceOf(Renew.Lost.class);
        assertBroken(replies.get(1), name + 1, "string");
        assertBroken(replies.get(3), Servers.queueKey(name + 3), "list");
        assertBroken(replies.get(7), Servers.floorKey(name + 7), "list");
    }

    private static void assertBroken(Renew.Reply reply, String key, String type) {
        Renew.Failed failed = (Renew.Failed) reply;
        assertThat(failed.cause().effect()).isEqualTo(Effect.REFUSED);
        assertThat(failed.cause())
                .hasMessageContaining("'" + key + "' is not a key of Holdfast: another program keeps a " + type);
    }

    @Test
    void eachOfAMixedBatchHasItsOwnAnswer() {
        List<Renew> batch = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            first.granted(name + i, i);
            batch.add(new Renew(name + i, first.tenure(i), Duration.ofSeconds(60 + i % 2 * 20), i % 3));
        }
        second.queued(name + 4, 1);
        second.queued(name + 6, 1);
        servers.redis.del(name + 3);
        List<Renew.Reply> replies = first.renew(batch);
        for (int i = 0; i < 12; i++) {
            Renew.Reply reply = replies.get(i);
            if (i == 3) {
                assertThat(reply).isInstanceOf(Renew.Lost.class);
            } else {
                Renew.Renewed renewed = (Renew.Renewed) reply;
                assertThat(renewed.foreignWaiters()).as("" + i).isEqualTo(i == 4 || i == 6 ? 1 : 0);
                assertThat(renewed.tokens().isPresent()).as("" + i).isEqualTo(i % 3 > 0);
                assertThat(servers.redis.pttl(name + i))
                        .as("" + i)
                        .isBetween(50_000L + i % 2 * 20_000L, 60_000L + i % 2 * 20_000L);
            }
        }
    }

    @Test
    void aKindThatCannotBeRenewedDisturbsNoOther() {
        try (Servers own = Servers.start();
                TestClient client = TestClient.open(own.allow("app", "~*", "&*", "+@all"))) {
            client.granted(name, 1);
            own.allow("app", "~" + name, "~hf:*", "&*", "+@all");
            Renew lock = new Renew(name, client.tenure(1), Duration.ofSeconds(90), 0);
            Renew reader = new Renew("forbidden", client.tenure(2), Share.Mode.READ, TestClient.LEASE, 0);
            List<Renew.Reply> replies = client.renew(List.of(reader, lock, reader));
            for (int i : new int[] {0, 2}) {
                StoreException cause = ((Renew.Failed) replies.get(i)).cause();
                assertThat(cause.effect()).isEqualTo(Effect.NOT_APPLIED);
                assertThat(cause).hasMessageContaining("the user lacks a right");
            }
            assertThat(replies.get(1)).isInstanceOf(Renew.Renewed.class);
            assertThat(own.redis.pttl(name)).isGreaterThan(80_000);
            assertThatThrownBy(() -> client.renew(List.of(reader))).hasMessageContaining("the user lacks a right");
        }
    }

    @Test
    void manyLocksAreOneCommand() {
        List<Renew> batch = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            first.granted(name + i, i);
            batch.add(new Renew(name + i, first.tenure(i), TestClient.LEASE, 0));
        }
        long before = servers.calls("evalsha");
        first.renew(batch.subList(0, 1));
        long learnt = servers.calls("evalsha");
        List<Renew.Reply> replies = first.renew(batch);
        assertThat(servers.calls("evalsha") - learnt).isEqualTo(1);
        assertThat(learnt - before).isLessThanOrEqualTo(2);
        assertThat(replies).hasSize(250).allMatch(reply -> reply instanceof Renew.Renewed);
    }
}
