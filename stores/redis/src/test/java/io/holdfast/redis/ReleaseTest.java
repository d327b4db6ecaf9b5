package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Release;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.testkit.Await;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReleaseTest {

    private final Servers servers = Servers.shared();
    private final TestClient first = TestClient.open(servers.uri());
    private final TestClient second = TestClient.open(servers.uri());
    private final TestClient third = TestClient.open(servers.uri());
    private final String name = Servers.name();

    @AfterEach
    void close() {
        List.of(first, second, third).forEach(TestClient::close);
    }

    @Test
    void nothingIsLeftButTheCounter() {
        first.granted(name, 1);
        Release.Reply reply = first.release(name, 1);
        assertThat(reply.held()).isTrue();
        assertThat(reply.foreignWaiters()).isZero();
        assertThat(servers.keysOf(name)).isEmpty();
        assertThat(servers.redis.pttl(Servers.counterKey())).isEqualTo(-1);
    }

    @Test
    void onlyTheOwnTenureIsGivenUp() {
        first.granted(name, 1);
        assertThat(second.release(name, 1).held()).isFalse();
        assertThat(first.release(name, 2).held()).isFalse();
        second.refused(name, 1);
        second.queued(name, 1);
        assertThat(second.release(name, 2).held()).as("while somebody waits").isFalse();
        assertThat(first.release(name, 1).held()).isTrue();
        assertThat(first.release(name, 1).held()).isFalse();
    }

    @Test
    void theFirstOfTheQueueIsWokenAndNoOther() {
        first.granted(name, 1);
        second.queued(name, 1);
        third.queued(name, 1);
        Release.Reply reply = first.release(name, 1);
        assertThat(reply.foreignWaiters()).isEqualTo(1);
        assertThat(second.next(Signal.Freed.class)).isEqualTo(new Signal.Freed(name));
        assertThat(third.arrived()).isEmpty();
        assertThat(servers.redis.exists(name)).isZero();
        assertThat(servers.redis.zrange(Servers.queueKey(name), 0, -1)).containsExactly(third.id() + ":1");
    }

    @Test
    void yieldAssignsToTheFirst() throws Exception {
        InTime.run(this::yields, first, second, third);
    }

    private void yields(String name) {
        Acquire.Granted before = first.granted(name, 1);
        Acquire.Refused refused = second.queued(name, 8);
        third.queued(name, 1);
        Release.Reply reply = first.assign(name, 1);
        Signal.Assigned assigned = second.next(Signal.Assigned.class);
        assertThat(assigned.name()).isEqualTo(name);
        assertThat(assigned.tenure()).isEqualTo(second.tenure(8));
        assertThat(assigned.tokens().first()).isGreaterThan(before.tokens().last());
        assertThat(assigned.foreignWaiters()).isEqualTo(1);
        assertThat(assigned.expiresMicros() - reply.serverMicros()).isEqualTo(1_000_000);
        assertThat(assigned.run()).isPositive().isEqualTo(refused.run());
        assertThat(servers.redis.hkeys(name)).containsExactly(second.id() + ":8");
        assertThat(servers.redis.pttl(name)).isBetween(1L, 1_000L);
        assertThat(second.granted(name, 8).tokens().first())
                .isGreaterThan(assigned.tokens().last());
    }

    @Test
    void aYieldWithNobodyWaitingFrees() {
        first.granted(name, 1);
        assertThat(first.assign(name, 1).held()).isTrue();
        assertThat(servers.keysOf(name)).isEmpty();
    }

    @Test
    void aWithdrawalLeavesTheHolderAlone() {
        first.granted(name, 1);
        second.queued(name, 1);
        assertThat(second.release(name, 1).held()).isFalse();
        assertThat(servers.keysOf(name)).containsExactly(name);
        assertThat(first.release(name, 1).foreignWaiters()).isZero();
    }

    @Test
    void aWithdrawalPassesAWakeUpOn() {
        first.granted(name, 1);
        second.queued(name, 1);
        third.queued(name, 1);
        first.release(name, 1);
        second.next(Signal.Freed.class);
        second.release(name, 1);
        assertThat(third.next(Signal.Freed.class)).isEqualTo(new Signal.Freed(name));
        assertThat(servers.keysOf(name)).isEmpty();
    }

    @Test
    void aDeadPlaceIsSkipped() {
        first.granted(name, 1);
        second.queued(name, 1);
        third.queued(name, 1);
        second.close();
        Await.until("the connection of the second is gone", () -> !listens(second));
        first.assign(name, 1);
        assertThat(third.next(Signal.Assigned.class).foreignWaiters()).isZero();
        assertThat(servers.redis.exists(Servers.queueKey(name))).isZero();
    }

    private boolean listens(TestClient client) {
        return servers.redis.pubsubNumsub("hf:in:" + client.id()).get("hf:in:" + client.id()) > 0;
    }

    @Test
    void theWalkOverDeadPlacesIsBounded() {
        first.granted(name, 1);
        for (int i = 0; i < 140; i++) {
            servers.redis.zadd(Servers.queueKey(name), (double) i, "nobody-" + i + ":1");
        }
        assertThat(first.release(name, 1).foreignWaiters()).isEqualTo(40);
        Await.until("the rest is walked over", () -> servers.redis.exists(Servers.queueKey(name)) == 0);
    }

    @Test
    void aBrokenKeyIsRefusedAndNothingIsReleased() {
        first.granted(name, 1);
        servers.redis.set(Servers.queueKey(name), "x");
        assertRefused(Servers.queueKey(name));
        assertThat(servers.redis.hkeys(name)).containsExactly(first.id() + ":1");
        servers.redis.del(Servers.queueKey(name), name);
        servers.redis.set(name, "x");
        assertRefused(name);
    }

    /** The units that it counts are needed for the next holder only. */
    @Test
    void aBrokenFloorKeepsNoHold() {
        first.granted(name, 1);
        second.queued(name, 1);
        servers.redis.lpush(Servers.floorKey(name), "x");
        assertThat(first.release(name, 1).held()).isTrue();
        assertThat(servers.redis.exists(name)).isZero();
        assertThat(servers.redis.lrange(Servers.floorKey(name), 0, -1)).containsExactly("x");
        servers.redis.del(Servers.floorKey(name));
        second.granted(name, 1);
    }

    private void assertRefused(String key) {
        assertThatThrownBy(() -> first.release(name, 1))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.effect()).isEqualTo(Effect.REFUSED))
                .hasMessageContaining("'" + key + "'");
    }
}
