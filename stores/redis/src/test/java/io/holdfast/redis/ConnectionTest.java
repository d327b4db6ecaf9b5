package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that are cut, servers that stop. */
class ConnectionTest {

    private static final String CLIENT = "holdfast-test";

    private final Servers servers = Servers.start();
    private final TestClient client = TestClient.open(servers.uri());

    @AfterEach
    void close() {
        client.close();
        servers.close();
    }

    @Test
    void whatIsUnderWayWhenTheConnectionIsCutIsUnknownAndNeverSentAgain() {
        client.granted("other", 1);
        client.release("other", 1);
        long before = servers.calls("evalsha");
        servers.pauseWrites();
        CompletionStage<Acquire.Reply> reply = client.start("lock", 1);
        Await.until(
                "the request is with the server",
                () -> servers.redis.clientList().contains("cmd=evalsha"));
        servers.cut(CLIENT);
        assertFails(Effect.UNKNOWN, () -> Await.reply(reply));
        servers.unpause();
        client.next(Signal.Gap.class);
        client.granted("other", 2);
        assertThat(servers.calls("evalsha") - before).isEqualTo(1);
        assertThat(servers.redis.exists("lock")).isZero();
    }

    private static void assertFails(Effect effect, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.effect()).isEqualTo(effect))
                .hasMessageContaining("Redis at redis://127.0.0.1:");
    }

    @Test
    void withoutAServerRequestsFailAtOnceAndWithItTheyWorkAgain() {
        client.granted("lock", 1);
        servers.server.kill();
        Await.until("the loss is noticed", () -> effectOf("lock") != Effect.UNKNOWN);
        assertFails(Effect.NOT_APPLIED, () -> client.acquire("lock", 2));
        assertFails(Effect.NOT_APPLIED, () -> client.release("lock", 1));
        assertFails(Effect.NOT_APPLIED, () -> Await.reply(client.store().inspect("lock")));
        assertThatThrownBy(() -> Await.reply(client.store().confirmSignals())).isInstanceOf(StoreException.class);
        assertFails(Effect.NOT_APPLIED, () -> client.renew("lock", 1));
        servers.server.restart();
        client.next(Signal.Gap.class);
        Await.until("connected again", () -> effectOf("again") == null);
        assertThat(client.renew("lock", 1)).isInstanceOf(Renew.Lost.class);
    }

    private Effect effectOf(String name) {
        return effectOf(client, name);
    }

    private static Effect effectOf(TestClient of, String name) {
        try {
            of.acquire(name, 99);
            return null;
        } catch (StoreException e) {
            return e.effect();
        }
    }

    @Test
    void aCutIsAGapAndAnotherRun() {
        client.granted("lock", 1);
        long before = provenRun();
        servers.cut(CLIENT);
        client.next(Signal.Gap.class);
        assertThat(provenRun()).isNotEqualTo(before);
    }

    private long provenRun() {
        long[] run = new long[1];
        Await.until("the run is known", () -> {
            try {
                run[0] = client.refused("lock", 2).run();
            } catch (StoreException e) {
                return false;
            }
            return run[0] != 0;
        });
        return run[0];
    }

    @Test
    void signalsComeAfterAReconnection() {
        try (TestClient holder = TestClient.open(servers.uri())) {
            holder.granted("lock", 1);
            servers.cut(CLIENT);
            client.next(Signal.Gap.class);
            holder.next(Signal.Gap.class);
            client.queued("lock", 1);
            holder.release("lock", 1);
            assertThat(client.next(Signal.Freed.class).name()).isEqualTo("lock");
        }
    }

    @Test
    void aPausedServerAnswersLater() {
        client.granted("other", 1);
        servers.server.pause();
        CompletionStage<Acquire.Reply> reply = client.start("lock", 1);
        assertThat(reply.toCompletableFuture().isDone()).isFalse();
        servers.server.resume();
        assertThat(Await.reply(reply)).isInstanceOf(Acquire.Granted.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {200, 2_000})
    void aServerThatHangsIsLeft(long connectMillis) {
        // lazy: it repeats an attempt to connect that the machine was too slow for
        try (TestClient impatient = TestClient.open(
                servers.uri(),
                config -> config.withTimeouts(Duration.ofMillis(500), Duration.ofMillis(connectMillis))
                        .withLazy(true))) {
            Await.until("it hears signals", () -> confirms(impatient));
            Await.until("a request is under way when the server hangs", () -> {
                Await.until("it works", () -> works(impatient));
                impatient.signals().clear();
                servers.server.pause();
                Effect effect = effectOf(impatient, "lock");
                if (effect != Effect.UNKNOWN) {
                    servers.server.resume();
                }
                return effect == Effect.UNKNOWN;
            });
            Await.until("the connection is given up", () -> effectOf(impatient, "lock") == Effect.NOT_APPLIED);
            servers.server.resume();
            impatient.next(Signal.Gap.class);
            Await.until("it works again", () -> works(impatient));
        }
    }

    private static boolean works(TestClient client) {
        try {
            client.acquire("again", 3);
            return true;
        } catch (StoreException e) {
            return false;
        }
    }

    @Test
    void aClosedStoreLeavesNothing() {
        client.granted("lock", 1);
        servers.server.pause();
        CompletionStage<Acquire.Reply> reply = client.start("lock", 2);
        client.close();
        servers.server.resume();
        assertFails(Effect.UNKNOWN, () -> Await.reply(reply));
        assertFails(Effect.NOT_APPLIED, () -> client.acquire("lock", 3));
        assertFails(Effect.NOT_APPLIED, () -> client.release("lock", 1));
        assertFails(Effect.NOT_APPLIED, () -> Await.reply(client.store().list("")));
        Await.until(
                "the connections are gone", () -> !servers.redis.clientList().contains(CLIENT));
        Await.until(
                "the threads are gone",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith(CLIENT)));
    }

    @Test
    void threadsAreDaemonsAndNamed() {
        client.granted("lock", 1);
        List<Thread> threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(CLIENT))
                .toList();
        assertThat(threads).isNotEmpty().hasSizeLessThanOrEqualTo(4).allMatch(Thread::isDaemon);
    }

    @Test
    void aLazyStoreConnectsWithTheFirstRequest() {
        try (TestClient lazy = TestClient.open(servers.uri(), TestClient.lazy())) {
            assertThat(servers.redis.clientList().lines().filter(line -> line.contains(CLIENT)))
                    .hasSize(1);
            lazy.granted("lock", 1);
            Await.until(
                    "the connection is there",
                    () -> servers.redis
                                    .clientList()
                                    .lines()
                                    .filter(line -> line.contains(CLIENT))
                                    .count()
                            == 2);
        }
    }

    @Test
    void aLazyStoreComesToLifeWithItsServer() {
        servers.server.kill();
        try (TestClient lazy = TestClient.open(servers.uri(), TestClient.lazy())) {
            assertFails(Effect.NOT_APPLIED, () -> lazy.acquire("lock", 1));
            servers.server.restart();
            Await.until("it works", () -> works(lazy));
            Await.until("signals come", () -> confirms(lazy));
        }
    }

    private static boolean confirms(TestClient client) {
        try {
            client.store().confirmSignals().toCompletableFuture().join();
            return true;
        } catch (CompletionException e) {
            return false;
        }
    }
}
