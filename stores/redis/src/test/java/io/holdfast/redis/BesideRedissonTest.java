package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.redis.interop.BesideRedisson;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import io.holdfast.testkit.Await;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a client says, hears and leaves undone where Redisson is; without Redisson. */
class BesideRedissonTest {

    private static final String OPTION = "?interop=redisson";

    private final Servers servers = Servers.start();
    private final TestClient first = TestClient.open(servers.uri() + OPTION);
    private final TestClient second = TestClient.open(servers.uri() + OPTION);
    private final LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private final StatefulRedisPubSubConnection<String, String> listener = servers.client.connectPubSub();

    BesideRedissonTest() {
        listener.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String message) {
                heard.add(channel + " " + message);
            }
        });
    }

    @AfterEach
    void close() {
        listener.close();
        first.close();
        second.close();
        servers.close();
    }

    private static String channel(String name) {
        return "redisson_lock__channel:{" + name + "}";
    }

    private long listeners(String channel) {
        return servers.redis.pubsubNumsub(channel).get(channel);
    }

    private void listenersAre(long count, String name) {
        Await.until(count + " listen", () -> listeners(channel(name)) == count);
    }

    private List<String> heardNow() {
        Await.reply(listener.async().ping());
        return List.copyOf(heard);
    }

    // ---- what is said

    @ParameterizedTest
    @CsvSource({
        "lock, redisson_lock__channel:{lock}",
        "a{b, redisson_lock__channel:a{b",
        "{x}y, redisson_lock__channel:{x}y",
        "a}b, redisson_lock__channel:{a}b}"
    })
    void aReleaseIsSaidOnceOnTheChannelOfTheLock(String name, String channel) {
        listener.sync().subscribe(channel);
        first.granted(name, 1);
        first.release(name, 2);
        assertThat(heardNow()).isEmpty();
        first.release(name, 1);
        first.release(name, 1);
        assertThat(heardNow()).containsExactly(channel + " 0");
    }

    @Test
    void aForcedReleaseIsSaid() {
        listener.sync().subscribe(channel("lock"));
        Await.reply(first.store().forceRelease("lock"));
        assertThat(heardNow()).isEmpty();
        first.granted("lock", 1);
        Await.reply(second.store().forceRelease("lock"));
        assertThat(heardNow()).containsExactly(channel("lock") + " 0");
    }

    @Test
    void theFirstInTheLineOfAFairLockWhoListensIsTold() {
        servers.redis.rpush("redisson_lock_queue:{lock}", "gone:1", "there:2", "there:3");
        listener.sync().subscribe(channel("lock") + ":there:2", channel("lock") + ":there:3");
        first.granted("lock", 1);
        first.release("lock", 1);
        assertThat(heardNow()).containsExactly(channel("lock") + ":there:2 0");
    }

    @Test
    void aBrokenLineOfAFairLockDoesNoHarm() {
        servers.redis.set("redisson_lock_queue:{lock}", "x");
        first.granted("lock", 1);
        assertThat(first.release("lock", 1).held()).isTrue();
    }

    @Test
    void withoutTheOptionNothingIsSaid() {
        listener.sync().subscribe(channel("lock"));
        try (TestClient plain = TestClient.open(servers.uri())) {
            long messages = servers.calls("publish");
            plain.granted("lock", 1);
            plain.release("lock", 1);
            assertThat(servers.calls("publish")).isEqualTo(messages);
            plain.granted("lock", 2);
            Await.reply(plain.store().forceRelease("lock"));
            assertThat(heardNow()).isEmpty();
        }
    }

    // ---- giving way

    @Test
    void aYieldAssignsNothing() {
        first.granted("lock", 1);
        second.queued("lock", 1);
        listenersAre(1, "lock");
        second.next(Signal.Opened.class);
        assertThat(first.assign("lock", 1).held()).isTrue();
        assertThat(servers.redis.exists("lock")).isZero();
        assertThat(second.next(Signal.Opened.class)).isEqualTo(new Signal.Opened("lock"));
        assertThat(second.arrived()).isEmpty();
        assertThat(second.granted("lock", 1)).isNotNull();
        assertThat(servers.keysOf("lock")).containsExactly("lock");
    }

    @Test
    void whereNobodyHearsItThePlacesAreServed() {
        try (TestClient plain = TestClient.open(servers.uri())) {
            first.granted("lock", 1);
            plain.queued("lock", 1);
            first.assign("lock", 1);
            assertThat(plain.next(Signal.Freed.class)).isEqualTo(new Signal.Freed("lock"));
            assertThat(servers.redis.exists("lock")).isZero();
        }
    }

    @Test
    void somebodyIsAlwaysAssumedToWait() {
        assertThat(first.granted("lock", 1).foreignWaiters()).isEqualTo(1);
        assertThat(((Renew.Renewed) first.renew("lock", 1)).foreignWaiters()).isEqualTo(1);
        assertThat(first.release("lock", 1).foreignWaiters()).isEqualTo(1);
    }

    @Test
    void whoHasReleasedWaitsAMillisecondIfOthersDo() {
        listener.sync().subscribe(channel("lock"));
        first.granted("lock", 1);
        CompletionStage<Release.Reply> released = first.store().release(Release.of("lock", first.tenure(1)));
        CompletionStage<Acquire.Reply> asked = first.start("lock", 2);
        long pause = Await.reply(asked).serverMicros() - Await.reply(released).serverMicros();
        assertThat(pause).isGreaterThanOrEqualTo(1_000);
        first.release("lock", 2);
    }

    @Test
    void whatIsGivenUpBeforeItsTurnIsNotSent() {
        first.granted("lock", 1);
        servers.pauseWrites();
        CompletionStage<Release.Reply> released = first.store().release(Release.of("lock", first.tenure(1)));
        CompletionStage<Acquire.Reply> asked = first.start("lock", 2);
        CompletionStage<Release.Reply> withdrawn = first.store().release(Release.of("lock", first.tenure(2)));
        assertThatThrownBy(() -> Await.reply(asked))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.effect()).isEqualTo(StoreException.Effect.NOT_APPLIED));
        servers.unpause();
        assertThat(Await.reply(released).held()).isTrue();
        assertThat(Await.reply(withdrawn).held()).isFalse();
        assertThat(servers.keysOf("lock")).isEmpty();
    }

    @Test
    void nothingOfAStoreIsLeftToADefault() {
        assertThat(LockStore.class.getMethods())
                .filteredOn(method -> !Modifier.isStatic(method.getModifiers()))
                .allSatisfy(method -> assertThat(BesideRedisson.class
                                .getMethod(method.getName(), method.getParameterTypes())
                                .getDeclaringClass())
                        .isNotEqualTo(LockStore.class));
    }

    // ---- what is heard

    @Test
    void aMessageOfRedissonsIsHeardWhileAnybodyWaits() {
        servers.holdAsOther("lock", Map.of("redisson:1", "1"));
        first.queued("lock", 1);
        first.next(Signal.Opened.class);
        listenersAre(1, "lock");
        servers.redis.publish(channel("lock"), "0");
        assertThat(first.next(Signal.Opened.class)).isEqualTo(new Signal.Opened("lock"));
        first.queued("lock", 2);
        first.release("lock", 1);
        servers.redis.publish(channel("lock"), "0");
        assertThat(first.next(Signal.Opened.class)).isEqualTo(new Signal.Opened("lock"));
        first.release("lock", 2);
        listenersAre(0, "lock");
    }

    @Test
    void whoGotItListensNoMore() {
        first.granted("lock", 1);
        second.queued("lock", 1);
        listenersAre(1, "lock");
        first.release("lock", 1);
        second.granted("lock", 1);
        listenersAre(0, "lock");
    }

    @Test
    void whoWasAssignedItListensNoMore() throws Exception {
        try (TestClient plain = TestClient.open(servers.uri())) {
            InTime.run(
                    name -> {
                        plain.granted(name, 1);
                        second.queued(name, 1);
                        listenersAre(1, name);
                        plain.assign(name, 1);
                        second.next(Signal.Assigned.class);
                        assertThat(second.renew(name, 1)).isInstanceOf(Renew.Renewed.class);
                        listenersAre(0, name);
                    },
                    plain,
                    second);
        }
    }

    @Test
    void whoDoesNotWaitDoesNotListen() {
        first.granted("lock", 1);
        second.refused("lock", 1);
        assertThat(second.arrived()).isEmpty();
        assertThat(listeners(channel("lock"))).isZero();
    }

    /** As Redisson calls the channels of x and {x}. */
    @Test
    void namesThatShareAChannelAreAllHeard() {
        servers.holdAsOther("lock", Map.of("redisson:1", "1"));
        servers.holdAsOther("{lock}", Map.of("redisson:2", "1"));
        first.queued("lock", 1);
        assertThat(first.next(Signal.Opened.class)).isEqualTo(new Signal.Opened("lock"));
        first.queued("{lock}", 2);
        assertThat(first.next(Signal.Opened.class)).isEqualTo(new Signal.Opened("{lock}"));
        listenersAre(1, "lock");
        assertThat(bothOpened()).isEqualTo(Set.of(new Signal.Opened("lock"), new Signal.Opened("{lock}")));
        first.release("lock", 1);
        servers.redis.publish(channel("lock"), "0");
        Await.until(
                "the other is still heard",
                () -> first.next(Signal.Opened.class).name().equals("{lock}"));
        first.release("{lock}", 2);
        listenersAre(0, "lock");
    }

    private Set<Signal> bothOpened() {
        servers.redis.publish(channel("lock"), "0");
        return new HashSet<>(List.of(first.next(Signal.Opened.class), first.next(Signal.Opened.class)));
    }

    @Test
    void namesAreThoseBehindThePrefix() {
        try (TestClient client = TestClient.open(servers.uri() + OPTION, TestClient.prefixed("app:"))) {
            servers.holdAsOther("app:lock", Map.of("redisson:1", "1"));
            client.queued("lock", 1);
            listenersAre(1, "app:lock");
            assertThat(client.next(Signal.Opened.class)).isEqualTo(new Signal.Opened("lock"));
            client.release("lock", 1);
        }
    }

    @Test
    void aNewConnectionListensAgain() {
        first.granted("lock", 1);
        second.queued("lock", 1);
        second.next(Signal.Opened.class);
        listenersAre(1, "lock");
        servers.cut();
        second.next(Signal.Gap.class);
        listenersAre(1, "lock");
        second.next(Signal.Opened.class);
    }

    // ---- rights

    @Test
    void theChannelsOfTheDocumentationAreEnough() {
        String uri = servers.allow("app", "~*", "+@all", "resetchannels", "&hf:in:*", "&redisson_lock__channel:*");
        servers.redis.rpush("redisson_lock_queue:{lock}", "nobody:1");
        try (TestClient client = TestClient.open(uri + OPTION)) {
            client.granted("lock", 1);
            client.release("lock", 1);
            servers.holdAsOther("lock", Map.of("redisson:1", "1"));
            client.queued("lock", 2);
            client.next(Signal.Opened.class);
            client.release("lock", 2);
            listenersAre(0, "lock");
        }
        assertThat(servers.redis.aclLog()).isEmpty();
    }

    @Test
    void withoutTheRightToListenItPolls() {
        String uri = servers.allow("app", "~*", "+@all", "resetchannels", "&hf:in:*");
        try (TestClient client = TestClient.open(uri + OPTION)) {
            servers.holdAsOther("lock", Map.of("redisson:1", "1"));
            client.queued("lock", 1);
            client.arrived();
            assertThat(listeners(channel("lock"))).isZero();
            client.release("lock", 1);
            client.granted("other", 2);
            assertThat(client.release("other", 2).held()).isTrue();
        }
    }
}
