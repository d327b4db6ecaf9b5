package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("everywhere")
class AcquireTest {

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
    void theLockIsAHashOfOneFieldAtItsRawName() {
        first.granted(name, 7);
        assertThat(servers.redis.hgetall(name)).isEqualTo(Map.of(first.id() + ":7", "1"));
        assertThat(servers.redis.pttl(name)).isBetween(25_000L, 30_000L);
        assertThat(servers.keysOf(name)).containsExactly(name);
    }

    @Test
    void aHeldLockIsRefusedWithItsHolderAndTheRestOfItsLease() {
        first.granted(name, 1);
        Acquire.Refused refused = second.refused(name, 1);
        assertThat(refused.holder()).contains(first.tenure(1).toString());
        assertThat(refused.retryAfter()).isBetween(Duration.ofSeconds(25), Duration.ofSeconds(30));
        assertThat(refused.arrival()).isZero();
        assertThat(servers.keysOf(name)).containsExactly(name);
    }

    @Test
    void anotherTenureOfTheSameClientIsRefused() {
        first.granted(name, 1);
        first.refused(name, 2);
    }

    @Test
    void aRepeatedAcquireIsGrantedWithHigherTokensAndANewLease() {
        Acquire.Granted once = first.granted(name, 1);
        servers.redis.pexpire(name, 1_000);
        Acquire.Granted twice = first.granted(name, 1);
        assertThat(twice.tokens().first()).isGreaterThan(once.tokens().last());
        assertThat(servers.redis.pttl(name)).isGreaterThan(25_000);
        assertThat(servers.redis.hlen(name)).isEqualTo(1);
    }

    @Test
    void aLateRequestWritesNothing() {
        long past = first.granted(name, 1).serverMicros() - 1;
        String other = Servers.name();
        Acquire.Reply reply = Await.reply(first.store()
                .acquire(Acquire.of(other, first.tenure(2), TestClient.LEASE)
                        .queued(Acquire.Queueing.BARGING, 0)
                        .withNotAfter(past)));
        assertThat(reply).isInstanceOf(Acquire.Late.class);
        assertThat(Servers.keys(servers.redis, "*" + other + "*")).isEmpty();
    }

    @Test
    void aPlaceInTheQueueIsToldToTheHolderOnce() {
        first.granted(name, 1);
        Acquire.Refused refused = second.queued(name, 5);
        assertThat(first.next(Signal.Wanted.class)).isEqualTo(new Signal.Wanted(name));
        assertThat(servers.redis.zscore(Servers.queueKey(name), second.id() + ":5"))
                .isEqualTo((double) refused.arrival());
        assertThat(refused.arrival()).isBetween(refused.serverMicros() - 1, refused.serverMicros());
        assertThat(servers.redis.pttl(Servers.queueKey(name))).isBetween(55_000L, 60_000L);
        assertThat(second.queued(name, 5).arrival()).isEqualTo(refused.arrival());
        assertThat(first.arrived()).isEmpty();
    }

    @Test
    void aPollKeepsTheQueueAlive() {
        first.granted(name, 1);
        second.queued(name, 5);
        servers.redis.pexpire(Servers.queueKey(name), 5_000);
        second.queued(name, 5);
        assertThat(servers.redis.pttl(Servers.queueKey(name))).isGreaterThan(55_000L);
    }

    @Test
    void aFormerArrivalIsKept() {
        first.granted(name, 1);
        assertThat(second.queued(name, 5, 1_234_567_890_123_456L).arrival()).isEqualTo(1_234_567_890_123_456L);
        assertThat(second.refused(name, 5).arrival()).isEqualTo(1_234_567_890_123_456L);
    }

    @Test
    void aGrantTakesThePlaceOffTheQueueAndCountsTheOthers() {
        try (TestClient third = TestClient.open(servers.uri())) {
            first.granted(name, 1);
            second.queued(name, 5);
            third.queued(name, 6);
            servers.redis.del(name);
            assertThat(second.granted(name, 5).foreignWaiters()).isEqualTo(1);
            assertThat(servers.redis.zrange(Servers.queueKey(name), 0, -1)).containsExactly(third.id() + ":6");
        }
    }

    @Test
    void aBrokenKeyIsRefusedByName() {
        breakKey(name, "string");
        assertRefused(first, name, name, "string");
        String token = Servers.name();
        breakKey(Servers.floorKey(token), "list");
        assertRefused(first, token, Servers.floorKey(token), "list");
        String text = Servers.name();
        servers.redis.set(Servers.floorKey(text), "no number");
        assertRefused(first, text, Servers.floorKey(text), "string");
        String queue = Servers.name();
        breakKey(Servers.queueKey(queue), "string");
        assertRefused(first, queue, Servers.queueKey(queue), "string");
        assertThat(servers.redis.exists(token, text, queue)).isZero();
    }

    private void breakKey(String key, String type) {
        if (type.equals("list")) {
            servers.redis.lpush(key, "x");
        } else {
            servers.redis.set(key, "x");
        }
    }

    private static void assertRefused(TestClient client, String name, String key, String type) {
        assertThatThrownBy(() -> client.acquire(name, 1))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.effect()).isEqualTo(StoreException.Effect.REFUSED))
                .hasMessageContaining(
                        "the key '" + key + "' is not a key of Holdfast: another program keeps a " + type + " there");
    }

    @Test
    void aReadWriteLockOfAnotherLibraryIsNoLock() {
        servers.redis.hset(name, Map.of("mode", "read", "uuid:1", "1"));
        servers.redis.pexpire(name, 5_000);
        assertThatThrownBy(() -> first.refused(name, 1))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("'" + name + "' is held as a read/write lock, and requested as a lock");
    }

    @Test
    void thePrefixIsPutBeforeAllNames() {
        try (TestClient prefixed = TestClient.open(servers.uri(), TestClient.prefixed("app:"))) {
            prefixed.granted(name, 1);
            assertThat(servers.redis.exists("app:" + name, "hf:{}:t:app:", "hf:client:app:" + prefixed.id()))
                    .isEqualTo(3);
            first.granted(name, 1);
            assertThat(prefixed.refused(name, 2).holder()).contains(prefixed.id() + ":1");
        }
    }

    @Test
    void namesOfAllKinds() throws Exception {
        for (String kind : new String[] {"a b", "a{b", "{}x", "a}b", "{tag}x", "ключ-🔒", "%d%s", "a\nb", "a:b:"}) {
            InTime.run(fresh -> isPassedOn(kind + fresh), first, second);
        }
    }

    private void isPassedOn(String odd) {
        first.granted(odd, 1);
        second.queued(odd, 1);
        assertThat(first.next(Signal.Wanted.class).name()).isEqualTo(odd);
        first.assign(odd, 1);
        assertThat(second.next(Signal.Assigned.class).name()).isEqualTo(odd);
        assertThat(second.release(odd, 1).held()).isTrue();
        assertThat(servers.redis.exists(odd)).isZero();
    }
}
