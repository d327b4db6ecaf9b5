package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.Safety;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A master that Sentinels name, and what happens when it is another one. */
class SentinelTest {

    private static final Duration LEASE = Duration.ofSeconds(30);

    private static SentinelGroup group;

    private final List<LockEvent> events = new CopyOnWriteArrayList<>();
    private final Holdfast a = connect("a");
    private final Holdfast b = connect("b");

    @BeforeAll
    static void start() {
        group = new SentinelGroup();
    }

    @AfterAll
    static void stop() {
        group.close();
    }

    private Holdfast connect(String name) {
        return Holdfast.builder()
                .uri(group.uri())
                .name(name)
                .lease(LEASE)
                .listener(events::add)
                .build();
    }

    @AfterEach
    void close() throws Exception {
        a.close();
        b.close();
    }

    @Test
    void locksLiveThroughAFailover() throws Exception {
        Lease held = a.lock("held").acquire();
        long before = a.lock("quick").acquire().fencingToken();
        CompletableFuture<Lease> waiter = b.lock("held").async().acquire();
        Await.until(
                "the waiter is in the queue at all servers",
                () -> group.servers.stream()
                        .allMatch(server -> group.redis(server, r -> r.exists(Servers.queueKey("held"))) == 1));
        RedisServer master = group.master();
        group.awaitNoTilt();
        master.kill();

        Await.until(
                "another one is the master",
                () -> group.agreed().filter(one -> one != master).isPresent());
        Duration left = held.remainingLease();
        Await.until("the hold is renewed there", () -> held.remainingLease().compareTo(left) > 0);
        held.ensureValid(Duration.ofSeconds(1));
        held.close();

        assertThat(waiter.join().fencingToken()).isGreaterThan(held.fencingToken());
        waiter.join().close();
        assertThat(a.lock("quick").tryLock()).as("held by a").isFalse();
        assertThat(events).noneMatch(LockEvent.Lost.class::isInstance);
        assertThat(before).isPositive();
        master.restart();
    }

    /** The Sentinels still name the former master, at which nothing listens. */
    @Test
    void aClientThatStartsDuringAFailoverWaitsForItsEnd() throws Exception {
        try (SentinelGroup own = new SentinelGroup()) {
            own.awaitNoTilt();
            own.master().kill();
            try (Holdfast starting = Holdfast.builder()
                    .uri(own.uri())
                    .connectTimeout(Duration.ofMinutes(2))
                    .build()) {
                Await.until("a lock is granted", () -> isGranted(starting));
            }
        }
    }

    @Test
    void aSentinelThatHangsHoldsUpNobody() throws Exception {
        group.sentinels.get(0).pause();
        try (Holdfast c = Holdfast.builder()
                .uri(group.uri())
                .connectTimeout(Duration.ofSeconds(20))
                .build()) {
            c.lock("n").acquire().close();
        } finally {
            group.sentinels.get(0).resume();
        }
    }

    /** As a master that was cut off from all but this client, and does not know that there is another one. */
    @Test
    void aServerThatTheSentinelsNameNoMoreIsLeft() throws Exception {
        try (SentinelGroup own = new SentinelGroup();
                Servers other = Servers.start();
                Holdfast c = Holdfast.builder()
                        .uri(own.uri())
                        .commandTimeout(Duration.ofMillis(500)) // it asks the Sentinels after five of these
                        .safety(Safety.replicated(1))
                        .build()) {
            Await.until("a lock is granted", () -> isGranted(c));
            own.nameAnother(other.server);
            Await.until("the client is there", () -> other.redis.clientList().contains("name=holdfast"));
        }
    }

    private static boolean isGranted(Holdfast client) {
        try (Lease lease = client.lock("n").tryAcquire().orElseThrow()) {
            return lease.isValid();
        } catch (IndeterminateLockException | StoreUnavailableException e) {
            return false;
        }
    }

    @Test
    void whoIsNoSentinelDoesNotSpeakForThoseThatAreSilent() {
        SentinelGroup gone = new SentinelGroup();
        gone.close();
        String uri = "redis-sentinel://127.0.0.1:" + group.servers.get(1).port() + ","
                + gone.uri().substring("redis-sentinel://".length());
        assertThatThrownBy(() -> Holdfast.connect(uri))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("nothing listens there");
    }

    @Test
    void aNameThatTheSentinelsDoNotKnowIsRefused() throws Exception {
        String uri = group.uri().replace("/" + SentinelGroup.MASTER, "/nobody");
        assertThatThrownBy(() -> Holdfast.connect(uri))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageStartingWith("Redis at " + uri + ": cannot connect: ")
                .hasMessageContaining("the Sentinels know no master of that name");
    }

    @Test
    void aServerIsNoSentinel() throws Exception {
        int port = group.servers.get(0).port();
        assertThatThrownBy(() -> Holdfast.connect("redis-sentinel://127.0.0.1:" + port + "/orders"))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("it is not a Sentinel; its URI is redis://host:port");
    }

    @Test
    void aSentinelIsNoServer() throws Exception {
        assertThatThrownBy(() -> Holdfast.connect(group.sentinels.get(0).uri()))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("it is a Sentinel")
                .hasMessageContaining("redis-sentinel://host:port/MASTER");
    }
}
