package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import io.holdfast.testkit.cluster.HoldingProcess;
import io.holdfast.testkit.faults.Wire;
import io.holdfast.testservers.ZooKeeperServers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the life of a session does to the holds of its client. */
class SessionTest {

    private static final Duration SESSION = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Outlasts a pause of a busy machine. */
    private static final Duration LONG = Duration.ofSeconds(20);

    private static ZooKeeperServers ensemble;

    @BeforeAll
    static void start() {
        ensemble = new ZooKeeperServers(1);
    }

    @AfterAll
    static void end() {
        ensemble.close();
    }

    /** Its requests have the time that they need beside others on a busy machine. */
    private static StoreClient client() {
        return client(SESSION);
    }

    private static StoreClient client(Duration session) {
        return new StoreClient(
                new ZooKeeperStoreProvider(), ensemble.uri(session), config -> config.withTimeouts(PATIENCE, PATIENCE));
    }

    /** Lets every session end, although the clients live. */
    private static void endSessions() throws InterruptedException {
        ensemble.pause(0);
        Thread.sleep(SESSION.plusSeconds(2).toMillis());
        ensemble.resume(0);
    }

    /** Asks until the name is granted. The servers may end the session of one client a moment after that of another. */
    private static Acquire.Granted grantedAtLast(StoreClient client, String name, long number) {
        List<Acquire.Granted> grants = new ArrayList<>();
        Await.until("it is granted", () -> {
            try {
                return client.acquire(name, number) instanceof Acquire.Granted granted && grants.add(granted);
            } catch (StoreException e) {
                return false;
            }
        });
        return grants.get(0);
    }

    @Test
    void aHoldIsCertainForNoLongerThanItsSession() {
        try (StoreClient client = client(LONG)) {
            Acquire.Granted granted = client.granted("short", 1);
            assertThat(granted.valid()).isPositive().isLessThanOrEqualTo(LONG);
            assertThat(client.renew("short", 1))
                    .isInstanceOfSatisfying(
                            Renew.Renewed.class,
                            renewed -> assertThat(renewed.valid()).isPositive().isLessThanOrEqualTo(LONG));
        }
    }

    @Test
    void holdsOfAnEndedSessionAreLostAndDoNotComeBack() throws InterruptedException {
        try (StoreClient client = client();
                StoreClient other = client(LONG)) {
            Acquire.Granted before = grantedAtLast(client, "ended", 1);
            endSessions();
            Await.until("the loss is told", () -> client.signals().stream().anyMatch(Signal.Gap.class::isInstance));
            assertThat(answerAtLast(client)).isInstanceOf(Renew.Lost.class);
            Await.until("it is connected again", () -> client.isConnected());
            Acquire.Granted after = grantedAtLast(other, "ended", 1);
            assertThat(after.tokens().first()).isGreaterThan(before.tokens().last());
            Renew.Reply renewed = Await.answer(() -> client.renew("ended", 1));
            assertThat(renewed).isInstanceOf(Renew.Lost.class);
            assertThat(Await.answer(() -> client.release("ended", 1)).held()).isFalse();
            assertThat(Await.answer(() -> client.refused("ended", 2)).holder())
                    .contains(other.tenure(1).toString());
        }
    }

    /** Renews the hold until it is lost, or until that takes too long. Returns the last answer, or why there is none. */
    private static Object answerAtLast(StoreClient client) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        Object answer = answer(client);
        while (!(answer instanceof Renew.Lost) && System.nanoTime() - end < 0) {
            Thread.sleep(20);
            answer = answer(client);
        }
        return answer;
    }

    private static Object answer(StoreClient client) {
        try {
            return client.renew("ended", 1);
        } catch (StoreException e) {
            return e;
        }
    }

    /** Others count the holds of the session as free at once. */
    @Test
    void aSessionWhoseNodeIsDeletedByHandEnds() throws Exception {
        try (StoreClient client = client(LONG);
                StoreClient other = client(LONG)) {
            client.granted("by-hand", 1);
            ZooKeeper handle = ensemble.client();
            for (String session : handle.getChildren("/holdfast/c", false)) {
                handle.delete("/holdfast/c/" + session, -1);
            }
            handle.close();
            Await.until("the loss is told", () -> client.signals().stream().anyMatch(Signal.Gap.class::isInstance));
            Await.until("both are connected again", () -> client.isConnected() && other.isConnected());
            assertThat(client.renew("by-hand", 1)).isInstanceOf(Renew.Lost.class);
            assertThat(other.acquire("by-hand", 1)).isInstanceOf(Acquire.Granted.class);
        }
    }

    @Test
    void aRequestFailsAtOnceWhileThereIsNoConnection() throws InterruptedException {
        try (StoreClient client = client()) {
            client.granted("cut", 1);
            ensemble.kill(0);
            try {
                Await.until("the cut is told", () -> client.signals().stream().anyMatch(Signal.Down.class::isInstance));
                long start = System.nanoTime();
                assertThat(catchThrowableOfType(StoreException.class, () -> client.acquire("cut", 2))
                                .effect())
                        .isEqualTo(Effect.NOT_APPLIED);
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PATIENCE.dividedBy(2));
            } finally {
                ensemble.start(0);
            }
            Await.until(
                    "the connection is back", () -> client.signals().stream().anyMatch(Signal.Up.class::isInstance));
        }
    }

    /** ZooKeeper's client would wait for the answer for two thirds of the session. */
    @Test
    void noThreadIsLeftSoonAfterACloseThatIsNotAnswered() {
        StoreClient client =
                new StoreClient(new ZooKeeperStoreProvider(), ensemble.uri(Duration.ofMinutes(1)), config -> config);
        ensemble.pause(0);
        try {
            client.close();
            Await.threadsGone("holdfast-" + client.id());
        } finally {
            ensemble.resume(0);
        }
    }

    /** The first server is chosen at random. */
    @Test
    void aClientOpensThoughOneOfTwoServersIsSilent() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String servers = "127.0.0.1:" + silent.getLocalPort() + "," + ensemble.servers();
            for (int i = 0; i < 5; i++) {
                try (StoreClient client = new StoreClient(
                        new ZooKeeperStoreProvider(),
                        ZooKeeperServers.uri(servers, Duration.ofSeconds(30)),
                        config -> config.withTimeouts(config.commandTimeout(), Duration.ofSeconds(8)))) {
                    client.granted("open" + i, 1);
                }
            }
        }
    }

    /** ZooKeeper's client would wait for the answer for two thirds of the session, which are 40 s. */
    @Test
    void aServerThatDoesNotAnswerIsLeftForAnotherOne() {
        try (Wire first = new Wire(ensemble.port(0));
                Wire second = new Wire(ensemble.port(0));
                StoreClient client = new StoreClient(
                        new ZooKeeperStoreProvider(),
                        ZooKeeperServers.uri(
                                "127.0.0.1:" + first.port() + ",127.0.0.1:" + second.port(), Duration.ofMinutes(1)),
                        config -> config.withTimeouts(Duration.ofSeconds(2), Duration.ofSeconds(5)))) {
            client.granted("silent", 1);
            client.signals().clear();
            Wire used = first.connections() > 0 ? first : second;
            used.blockRequests(true);
            used.blockAnswers(true);
            long start = System.nanoTime();
            var unused = client.store().inspect("silent");
            Await.until("another one is used", () -> client.signals().stream().anyMatch(Signal.Up.class::isInstance));
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
            assertThat(client.renew("silent", 1)).isInstanceOf(Renew.Renewed.class);
        }
    }

    /** Each of their answers takes longer than the command timeout, and proves the session. */
    @Tag("night")
    @Test
    void keepsAHoldAtServersThatAreSlow() throws InterruptedException {
        Duration session = Duration.ofSeconds(20);
        try (Wire first = new Wire(ensemble.port(0));
                Wire second = new Wire(ensemble.port(0));
                Holdfast client = Holdfast.builder()
                        .uri(ZooKeeperServers.uri("127.0.0.1:" + first.port() + ",127.0.0.1:" + second.port(), session))
                        .lease(session.multipliedBy(2))
                        .commandTimeout(Duration.ofSeconds(1))
                        .connectTimeout(Duration.ofSeconds(20))
                        .build()) {
            Lease held = client.lock("slow").acquire();
            first.delayAnswers(Duration.ofMillis(1_500));
            second.delayAnswers(Duration.ofMillis(1_500));
            Thread.sleep(session.toMillis());
            assertThat(held.isValid()).isTrue();
            first.delayAnswers(Duration.ZERO);
            second.delayAnswers(Duration.ZERO);
        }
    }

    /** Its session has ended long before. */
    @Test
    void keepsTheNameOfARunWhoseProcessHasDiedForItsMinimumTime() throws Exception {
        Duration minHold = SESSION.multipliedBy(5);
        try (StoreClient other = client(LONG)) {
            HoldingProcess.killWhenHeld(HoldingProcess.start(ensemble.uri(SESSION), "run", minHold));
            long killed = System.nanoTime();
            var unused = grantedAtLast(other, "run", 1);
            assertThat(Duration.ofNanos(System.nanoTime() - killed)).isGreaterThan(minHold.dividedBy(2));
        }
    }

    @Test
    void aDeadClientFreesItsLocksWithItsSession() throws Exception {
        try (StoreClient other = client(LONG)) {
            HoldingProcess.killWhenHeld(HoldingProcess.start(ensemble.uri(SESSION), "dead"));
            long killed = System.nanoTime();
            Await.until("it is free", () -> other.acquire("dead", 1) instanceof Acquire.Granted);
            assertThat(Duration.ofNanos(System.nanoTime() - killed))
                    .as("before the lease ends")
                    .isLessThan(StoreClient.LEASE.dividedBy(2));
        }
    }

    /** A lease that is longer than the session costs one request for all holds. */
    @Tag("ci")
    @Test
    void aThousandHoldsAreRenewedByFewRequests() {
        try (StoreClient client = client(LONG)) {
            // it outlasts a thousand requests on a busy machine
            Duration lease = StoreClient.LEASE.multipliedBy(20);
            List<Renew> batch = LongStream.range(0, 1_000)
                    .mapToObj(number -> {
                        Acquire request = Acquire.of("many" + number, client.tenure(number), lease);
                        assertThat(Await.reply(client.store().acquire(request))).isInstanceOf(Acquire.Granted.class);
                        return new Renew(request.name(), request.tenure(), lease, 0);
                    })
                    .toList();
            long before = ensemble.received(0);
            assertThat(client.renew(batch)).hasSize(1_000).allMatch(Renew.Renewed.class::isInstance);
            assertThat(ensemble.received(0) - before).as("requests").isLessThan(100);
        }
    }
}
