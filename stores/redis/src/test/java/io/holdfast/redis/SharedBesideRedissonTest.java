package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.testkit.Await;
import io.lettuce.core.SetArgs;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the scripts of read/write locks do where Redisson is; without Redisson. */
class SharedBesideRedissonTest {

    private static final String OPTION = "?interop=redisson";
    private static final String CHANNEL = "redisson_rwlock:{lock}";

    private final Servers servers = Servers.start();
    private final TestClient first = TestClient.open(servers.uri() + OPTION);
    private final TestClient second = TestClient.open(servers.uri() + OPTION);
    private final LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private final StatefulRedisPubSubConnection<String, String> redisson = servers.client.connectPubSub();

    SharedBesideRedissonTest() {
        redisson.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String message) {
                heard.add(channel + " " + message);
            }
        });
    }

    @AfterEach
    void close() {
        redisson.close();
        first.close();
        second.close();
        servers.close();
    }

    private static Acquire.Reply ask(TestClient client, String name, long number, Share share) {
        return client.acquire(Acquire.of(name, client.tenure(number), TestClient.LEASE)
                .withShare(share)
                .queued(Acquire.Queueing.BARGING, 0));
    }

    private static void takes(TestClient client, long number, Share share) {
        assertThat(ask(client, "lock", number, share)).isInstanceOf(Acquire.Granted.class);
    }

    private static void waits(TestClient client, long number, Share share) {
        assertThat(ask(client, "lock", number, share)).isInstanceOf(Acquire.Refused.class);
    }

    private static Release.Reply leaves(TestClient client, String name, long number, Mode mode) {
        return Await.reply(
                client.store().release(Release.of(name, client.tenure(number)).withMode(mode)));
    }

    private List<String> heardNow() {
        Await.reply(redisson.async().ping());
        return List.copyOf(heard);
    }

    private void listenersAre(long count) {
        Await.until(count + " listen", () -> servers.redis.pubsubNumsub(CHANNEL).get(CHANNEL) == count);
    }

    // ---- what is said

    @ParameterizedTest
    @CsvSource({
        "lock, redisson_rwlock:{lock}",
        "a{b, redisson_rwlock:a{b",
        "{x}y, redisson_rwlock:{x}y",
        "a}b, redisson_rwlock:{a}b}"
    })
    void theLastToLeaveSaysSoOnTheChannelOfTheLock(String name, String channel) {
        redisson.sync().subscribe(channel);
        ask(first, name, 1, Share.WRITE);
        leaves(first, name, 2, Mode.WRITE);
        assertThat(heardNow()).isEmpty();
        leaves(first, name, 1, Mode.WRITE);
        leaves(first, name, 1, Mode.WRITE);
        assertThat(heardNow()).containsExactly(channel + " 1", channel + " 0");
    }

    @Test
    void whoLeavesOthersReadingSaysNothing() {
        takes(first, 1, Share.READ);
        takes(second, 1, Share.READ);
        redisson.sync().subscribe(CHANNEL);
        leaves(first, "lock", 1, Mode.READ);
        assertThat(heardNow()).isEmpty();
        leaves(second, "lock", 1, Mode.READ);
        assertThat(heardNow()).hasSize(2);
    }

    @Test
    void whoWroteAndReadsOnSaysSo() {
        redisson.sync().subscribe(CHANNEL);
        takes(first, 1, Share.WRITE);
        takes(first, 2, Share.READ.beside(first.tenure(1)));
        leaves(first, "lock", 1, Mode.WRITE);
        assertThat(servers.redis.hget("lock", "mode")).isEqualTo("read");
        assertThat(heardNow()).hasSize(2);
    }

    @Test
    void aForcedReleaseSaysSo() {
        takes(first, 1, Share.READ);
        redisson.sync().subscribe(CHANNEL);
        Await.reply(second.store().forceRelease("lock"));
        assertThat(heardNow()).containsExactly(CHANNEL + " 1", CHANNEL + " 0");
    }

    @Test
    void withoutTheOptionNothingIsSaidAndNoMoreIsAsked() {
        redisson.sync().subscribe(CHANNEL);
        try (TestClient plain = TestClient.open(servers.uri())) {
            long messages = servers.calls("publish");
            takes(plain, 1, Share.READ);
            leaves(plain, "lock", 1, Mode.READ);
            takes(plain, 2, Share.WRITE);
            assertThat(servers.calls("publish")).isEqualTo(messages);
            Await.reply(plain.store().forceRelease("lock"));
            assertThat(servers.calls("pubsub|numsub")).isZero();
            assertThat(heardNow()).isEmpty();
        }
    }

    // ---- giving way

    @Test
    void withoutAWaiterOfRedissonsTheQueueIsServed() {
        takes(first, 1, Share.WRITE);
        waits(second, 1, Share.READ);
        listenersAre(1);
        leaves(first, "lock", 1, Mode.WRITE);
        assertThat(second.next(Signal.Assigned.class).tenure()).isEqualTo(second.tenure(1));
    }

    @Test
    void withOneTheLockIsFreeForAll() {
        takes(first, 1, Share.WRITE);
        waits(second, 1, Share.READ);
        second.next(Signal.Opened.class);
        redisson.sync().subscribe(CHANNEL);
        assertThat(leaves(first, "lock", 1, Mode.WRITE).foreignWaiters()).isEqualTo(2);
        assertThat(servers.redis.exists("lock")).isZero();
        assertThat(second.next(Signal.Opened.class)).isEqualTo(new Signal.Opened("lock"));
        takes(second, 1, Share.READ);
    }

    @Test
    void whoReadsOnIsJoinedByThoseInTheQueueAsWell() {
        takes(first, 1, Share.WRITE);
        takes(first, 2, Share.READ.beside(first.tenure(1)));
        waits(second, 1, Share.READ);
        redisson.sync().subscribe(CHANNEL);
        leaves(first, "lock", 1, Mode.WRITE);
        assertThat(second.next(Signal.Assigned.class).tenure()).isEqualTo(second.tenure(1));
    }

    @Test
    void readersDoNotPassAWaitingWriterOfRedissonsForAWhile() {
        takes(first, 1, Share.READ);
        redisson.sync().subscribe(CHANNEL);
        waits(second, 1, Share.READ);
        Await.until("it passes", () -> ask(second, "lock", 1, Share.READ) instanceof Acquire.Granted);
        takes(first, 1, Share.READ);
    }

    /** So many give way that a script does not look at all of them. */
    @Test
    void readersPassManyWhoGaveWayButNoWriterBehindThem() {
        takes(first, 1, Share.READ);
        redisson.sync().subscribe(CHANNEL);
        for (int i = 1; i <= 120; i++) {
            waits(second, i, Share.READ);
        }
        redisson.sync().unsubscribe(CHANNEL);
        takes(first, 2, Share.READ);
        waits(second, 500, Share.WRITE);
        waits(first, 3, Share.READ);
    }

    @Test
    void oneOfTwoReadersThatLeavesDoesNotServeThoseWhoGiveWay() {
        takes(first, 1, Share.READ);
        takes(first, 2, Share.READ);
        redisson.sync().subscribe(CHANNEL);
        waits(second, 1, Share.READ);
        leaves(first, "lock", 1, Mode.READ);
        assertThat(second.arrived()).noneMatch(Signal.Assigned.class::isInstance);
    }

    @Test
    void aClientThatListensIsNotTakenForRedisson() {
        takes(first, 1, Share.WRITE);
        waits(second, 1, Share.WRITE);
        listenersAre(1);
        leaves(second, "lock", 1, Mode.WRITE);
        leaves(first, "lock", 1, Mode.WRITE);
        takes(first, 2, Share.READ);
        takes(first, 3, Share.READ);
    }

    @Test
    void somebodyIsAlwaysAssumedToWait() {
        Acquire.Granted granted = (Acquire.Granted) ask(first, "lock", 1, Share.READ);
        assertThat(granted.foreignWaiters()).isEqualTo(1);
        Renew renew = new Renew("lock", first.tenure(1), Mode.READ, TestClient.LEASE, 0);
        assertThat(first.renew(List.of(renew)))
                .first()
                .isInstanceOfSatisfying(
                        Renew.Renewed.class,
                        renewed -> assertThat(renewed.foreignWaiters()).isEqualTo(1));
        assertThat(leaves(first, "lock", 1, Mode.READ).foreignWaiters()).isEqualTo(1);
    }

    // ---- what is heard

    @Test
    void aMessageOfRedissonsIsHeardWhileAnybodyWaits() {
        servers.holdAsOther("lock", Map.of("mode", "write", "redisson:1:write", "1"));
        waits(first, 1, Share.READ);
        first.next(Signal.Opened.class);
        listenersAre(1);
        servers.redis.publish(CHANNEL, "1");
        assertThat(first.next(Signal.Opened.class)).isEqualTo(new Signal.Opened("lock"));
        leaves(first, "lock", 1, Mode.READ);
        listenersAre(0);
    }

    // ---- what other programs leave

    @Test
    void aDeadReaderOfRedissonsIsDroppedByTheNextWhoLeaves() {
        takes(first, 1, Share.READ);
        servers.redis.hset("lock", Map.of("dead:1", "1", "alive:1", "2"));
        servers.redis.set("{lock}:alive:1:rwlock_timeout:2", "1", SetArgs.Builder.px(5_000));
        leaves(first, "lock", 1, Mode.READ);
        assertThat(servers.redis.hkeys("lock")).containsExactlyInAnyOrder("mode", "alive:1");
        assertThat(servers.redis.pttl("lock")).isBetween(3_000L, 5_000L);
    }

    @Test
    void whatAnotherProgramFreedDoesNotCutALaterReader() {
        takes(first, 1, Share.READ);
        servers.redis.del("lock");
        servers.holdAsOther("lock", Map.of("mode", "read", "redisson:1", "1"));
        servers.redis.set("{lock}:redisson:1:rwlock_timeout:1", "1", SetArgs.Builder.px(3_600_000));
        takes(second, 1, Share.READ);
        leaves(second, "lock", 1, Mode.READ);
        assertThat(servers.redis.pttl("lock")).isGreaterThan(3_000_000);
    }

    // ---- rights

    @Test
    void theChannelsOfTheDocumentationAreEnough() {
        String uri = servers.allow("app", "~*", "+@all", "resetchannels", "&hf:in:*", "&redisson_rwlock:*");
        redisson.sync().subscribe(CHANNEL);
        try (TestClient client = TestClient.open(uri + OPTION)) {
            takes(first, 1, Share.WRITE);
            waits(client, 1, Share.WRITE);
            client.next(Signal.Opened.class);
            leaves(first, "lock", 1, Mode.WRITE);
            takes(client, 1, Share.WRITE);
            leaves(client, "lock", 1, Mode.WRITE);
        }
        assertThat(heardNow()).hasSize(4);
        assertThat(servers.redis.aclLog()).isEmpty();
    }

    /** What is left of the queue is for those who ask again: to repeat the release would serve nobody. */
    @Test
    void aReleaseThatLeavesSomeOfTheQueueIsNotRepeated() {
        takes(first, 1, Share.WRITE);
        takes(first, 2, Share.READ.beside(first.tenure(1)));
        for (int i = 0; i < 150; i++) {
            waits(second, i + 1, Share.READ);
        }
        redisson.sync().subscribe(CHANNEL);
        long before = servers.calls("evalsha");
        leaves(first, "lock", 1, Mode.WRITE);
        assertThat(second.next(Signal.Assigned.class).tenure()).isEqualTo(second.tenure(1));
        LockSupport.parkNanos(300_000_000);
        assertThat(servers.calls("evalsha") - before).isEqualTo(1);
    }
}
