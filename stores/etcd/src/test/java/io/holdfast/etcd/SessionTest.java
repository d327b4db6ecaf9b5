package io.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import io.holdfast.testkit.cluster.HoldingProcess;
import io.holdfast.testkit.faults.Wire;
import io.holdfast.testservers.EtcdServers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the life of a session does to the holds of its client. */
@Tag("etcd")
class SessionTest {

    private static final Duration SESSION = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Outlasts a pause of a busy machine. */
    private static final Duration LONG = Duration.ofSeconds(20);

    private static EtcdServers ensemble;

    @BeforeAll
    static void start() {
        ensemble = new EtcdServers(1);
    }

    @AfterAll
    static void end() {
        ensemble.close();
    }

    private static StoreClient client() {
        return client(SESSION);
    }

    private static StoreClient client(Duration session) {
        return client(session, config -> config);
    }

    private static StoreClient client(Duration session, UnaryOperator<StoreConfig> change) {
        return new StoreClient(new EtcdStoreProvider(), ensemble.uri(session), change);
    }

    private static boolean received(StoreClient client, Class<? extends Signal> kind) {
        return client.signals().stream().anyMatch(kind::isInstance);
    }

    private static boolean isLost(StoreClient client, String name) {
        try {
            return client.renew(name, 1) instanceof Renew.Lost;
        } catch (StoreException e) {
            return false;
        }
    }

    private static boolean isGranted(StoreClient client, String name) {
        try {
            return client.acquire(name, 1) instanceof Acquire.Granted;
        } catch (StoreException e) {
            return false;
        }
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
    void aSessionOutlivesAServerThatIsAwayForLess() throws InterruptedException {
        try (StoreClient client = client(LONG)) {
            client.granted("restart", 1);
            ensemble.kill(0);
            Await.until("the failure is told", () -> received(client, Signal.Down.class));
            ensemble.start(0);
            Await.until("the server is back", () -> received(client, Signal.Up.class));
            assertThat(client.renew("restart", 1)).isInstanceOf(Renew.Renewed.class);
            assertThat(client.release("restart", 1).held()).isTrue();
        }
    }

    /** A server that was stopped for long begins with the whole time to live of each lease, or has ended them. */
    @Test
    void whatIsHeldAfterALongStopIsHeldByOne() throws InterruptedException {
        try (StoreClient client = client();
                StoreClient other = client()) {
            Acquire.Granted before = Await.answer(() -> client.granted("stopped", 1));
            ensemble.pause(0);
            Thread.sleep(SESSION.plusSeconds(2).toMillis());
            ensemble.resume(0);
            Await.until("both are connected again", () -> client.isConnected() && other.isConnected());
            if (Await.answer(() -> other.acquire("stopped", 1)) instanceof Acquire.Granted) {
                Await.until("the loss is known", () -> isLost(client, "stopped"));
                assertThat(Await.answer(() -> client.release("stopped", 1)).held())
                        .isFalse();
            } else if (!Await.answer(() -> client.release("stopped", 1)).held()) {
                // race: the session has ended after the refusal
                Await.until("it is free", () -> isGranted(other, "stopped"));
            }
            assertThat(before.tokens().first()).isPositive();
        }
    }

    /** The servers would choose consecutive ids, and may choose one again after they were restored from a snapshot. */
    @Test
    void choosesTheIdOfItsSessionAtRandom() {
        try (StoreClient client = client(LONG);
                StoreClient other = client(LONG)) {
            assertThat(Math.abs(lease(client) - lease(other))).isGreaterThan(1L << 32);
        }
    }

    private static long lease(StoreClient client) {
        return ensemble.keys("holdfast/n/" + client.id()).get(0).getLease();
    }

    /** An operator does so, to free the locks of a client, which learns of it before its next heartbeat. */
    @Test
    void aLeaseThatIsRevokedEndsTheSessionAtOnce() {
        try (StoreClient client = client(Duration.ofMinutes(2));
                StoreClient other = client(LONG)) {
            Acquire.Granted before = client.granted("revoked", 1);
            for (KeyValue each : ensemble.keys("holdfast/n/" + client.id())) {
                var unused = LeaseGrpc.newBlockingStub(ensemble.channel(0))
                        .leaseRevoke(LeaseRevokeRequest.newBuilder()
                                .setID(each.getLease())
                                .build());
            }
            long revoked = System.nanoTime();
            Await.until("the loss is told", () -> received(client, Signal.Gap.class));
            assertThat(Duration.ofNanos(System.nanoTime() - revoked)).isLessThan(PATIENCE.dividedBy(2));
            assertThat(client.renew("revoked", 1)).isInstanceOf(Renew.Lost.class);
            Acquire.Granted after = other.granted("revoked", 1);
            assertThat(after.tokens().first()).isGreaterThan(before.tokens().last());
            Await.until("it is connected again", () -> client.isConnected());
            assertThat(client.release("revoked", 1).held()).isFalse();
            assertThat(client.refused("revoked", 2).holder())
                    .contains(other.tenure(1).toString());
        }
    }

    @Test
    void aSessionWhoseKeyIsDeletedByHandEnds() {
        try (StoreClient client = client(LONG);
                StoreClient other = client(LONG)) {
            client.granted("by-hand", 1);
            ensemble.keys("holdfast/s/").stream()
                    .map(KeyValue::getKey)
                    .filter(key -> key.toStringUtf8().endsWith("/c"))
                    .forEach(ensemble::delete);
            Await.until("the loss is told", () -> received(client, Signal.Gap.class));
            Await.until("both are connected again", () -> client.isConnected() && other.isConnected());
            assertThat(client.renew("by-hand", 1)).isInstanceOf(Renew.Lost.class);
            assertThat(other.acquire("by-hand", 1)).isInstanceOf(Acquire.Granted.class);
        }
    }

    @Test
    void aRequestFailsAtOnceWhileNoServerListens() {
        try (StoreClient client = client(SESSION, config -> config.withTimeouts(PATIENCE, PATIENCE))) {
            client.granted("away", 1);
            ensemble.kill(0);
            try {
                Await.until("the failure is told", () -> received(client, Signal.Down.class));
                long start = System.nanoTime();
                assertThat(catchThrowableOfType(StoreException.class, () -> client.acquire("away", 2))
                                .effect())
                        .isEqualTo(Effect.NOT_APPLIED);
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PATIENCE.dividedBy(2));
            } finally {
                ensemble.start(0);
            }
            Await.until("the server is back", () -> received(client, Signal.Up.class));
        }
    }

    @Test
    void aClientOpensAsSoonAsAServerListens() {
        try (Wire wire = new Wire(1)) {
            CompletableFuture<StoreClient> opening = opening(wire);
            Await.until("a second attempt", () -> wire.connections() > 1);
            wire.leadTo(ensemble.port(0));
            assertServed(opening, "listens");
        }
    }

    @Test
    void aClientOpensAsSoonAsASilentServerAnswers() {
        try (Wire wire = new Wire(ensemble.port(0))) {
            wire.blockAnswers(true);
            CompletableFuture<StoreClient> opening = opening(wire);
            Await.until("a second attempt", () -> wire.connections() > 1);
            wire.blockAnswers(false);
            assertServed(opening, "answers");
        }
    }

    private static CompletableFuture<StoreClient> opening(Wire wire) {
        return CompletableFuture.supplyAsync(() -> new StoreClient(
                new EtcdStoreProvider(),
                "etcd://127.0.0.1:" + wire.port() + "?session=2s",
                config -> config.withTimeouts(config.commandTimeout(), PATIENCE)));
    }

    private static void assertServed(CompletableFuture<StoreClient> opening, String name) {
        try (StoreClient client = Await.reply(opening)) {
            Await.until("it acquires", () -> isGranted(client, name));
        }
    }

    /** The first server is chosen at random. */
    @Test
    void aClientOpensThoughSomeServersAreAway() {
        for (int i = 0; i < 10; i++) {
            String name = "open" + i;
            String uri = "etcd://127.0.0.1:1,127.0.0.1:" + ensemble.port(0) + ",127.0.0.1:2?session=2s";
            try (StoreClient client = new StoreClient(new EtcdStoreProvider(), uri, config -> config)) {
                Await.until("it acquires", () -> isGranted(client, name));
            }
        }
    }

    /** Its session has ended long before. */
    @Test
    void keepsTheNameOfARunWhoseProcessHasDiedForItsMinimumTime() throws Exception {
        Duration minHold = SESSION.multipliedBy(5);
        try (StoreClient other = client(LONG)) {
            HoldingProcess.killWhenHeld(HoldingProcess.start(ensemble.uri(SESSION), "run", minHold));
            long killed = System.nanoTime();
            Await.until("it is free", () -> isGranted(other, "run"));
            assertThat(Duration.ofNanos(System.nanoTime() - killed)).isGreaterThan(minHold.dividedBy(2));
        }
    }

    @Test
    void aDeadClientFreesItsLocksWithItsSession() throws Exception {
        try (StoreClient other = client(LONG)) {
            HoldingProcess.killWhenHeld(HoldingProcess.start(ensemble.uri(SESSION), "dead"));
            long killed = System.nanoTime();
            Await.until("it is free", () -> isGranted(other, "dead"));
            assertThat(Duration.ofNanos(System.nanoTime() - killed))
                    .as("before the lease ends")
                    .isLessThan(StoreClient.LEASE.dividedBy(2));
        }
    }

    /** A lease that is longer than the session costs one heartbeat for all holds. */
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
            long before = ensemble.received(0, "Txn");
            assertThat(client.renew(batch)).hasSize(1_000).allMatch(Renew.Renewed.class::isInstance);
            assertThat(ensemble.received(0, "Txn") - before).as("requests").isLessThan(100);
        }
    }
}
