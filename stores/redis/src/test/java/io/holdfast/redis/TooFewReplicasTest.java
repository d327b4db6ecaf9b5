package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.Safety;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.Await;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server that has fewer replicas than grants have to be on. */
@Tag("ci")
class TooFewReplicasTest {

    private static final Duration COMMAND = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Safety ON_ONE = Safety.replicated(1);
    private static final String TEXT =
            "safety replicated(1): only 0 replicas are connected to it, and each grant has to be on 1;"
                    + " connect replicas (connected_slaves in INFO replication counts them), or choose a Safety with fewer.";

    private static HoldfastBuilder client(String uri) {
        return Holdfast.builder().uri(uri).commandTimeout(COMMAND);
    }

    private static Duration timeOf(Runnable task) {
        long began = System.nanoTime();
        task.run();
        return Duration.ofNanos(System.nanoTime() - began);
    }

    @Test
    void aClientIsRefusedWhenItConnects() throws Exception {
        try (Servers alone = Servers.start()) {
            assertThatThrownBy(() -> client(alone.uri()).safety(ON_ONE).build().close())
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageStartingWith("Redis at ")
                    .hasMessageContaining(TEXT);
        }
    }

    @Test
    void aUserWhoMayNotAskIsNotRefused() throws Exception {
        try (Servers alone = Servers.start()) {
            String uri = alone.allow("blind", "+@all", "-info", "~*", "&*");
            client(uri).safety(ON_ONE).build().close();
        }
    }

    @Test
    void aClientThatConnectsLaterIsRefusedAtOnce() throws Exception {
        try (Servers alone = Servers.start();
                Holdfast lazy = client(alone.uri())
                        .commandTimeout(PATIENCE)
                        .safety(ON_ONE)
                        .lazy()
                        .build()) {
            assertThat(timeOf(() -> assertThatThrownBy(() -> lazy.lock("n").tryLock())
                            .isInstanceOf(StoreRefusedException.class)
                            .hasMessageContaining(TEXT)))
                    .isLessThan(PATIENCE.dividedBy(2));
        }
    }

    /** The replica goes after it has confirmed a grant. */
    private static void withoutItsReplica(Servers master, Holdfast client) throws Exception {
        Servers replica = Servers.following(master);
        client.lock("first").acquire().close();
        close(replica, master);
    }

    private static void close(Servers replica, Servers master) {
        replica.close();
        Await.until("it is alone", () -> master.redis.info("replication").contains("connected_slaves:0"));
    }

    @Test
    void aTryEndsWithTheCommandTimeout() throws Exception {
        // long enough for an answer that is read late, and shorter than the time until acquires are refused
        Duration command = Duration.ofSeconds(4);
        try (Servers master = Servers.start("--repl-diskless-sync-delay", "0");
                Holdfast client = client(master.uri())
                        .commandTimeout(command)
                        .safety(ON_ONE)
                        .lazy()
                        .build()) {
            withoutItsReplica(master, client);
            Duration took =
                    timeOf(() -> assertThatThrownBy(() -> client.lock("n").tryLock())
                            .isInstanceOf(IndeterminateLockException.class)
                            .hasMessageContaining("only 0 of 1 replicas have it after 1200 ms"));
            assertThat(took).isBetween(command.minusMillis(10), PATIENCE);
        }
    }

    @Test
    void aWaiterEndsAfterTheLongestOutage() throws Exception {
        Duration outage = Duration.ofSeconds(5);
        try (Servers master = Servers.start("--repl-diskless-sync-delay", "0");
                Holdfast plain = client(master.uri()).build();
                Holdfast client = client(master.uri())
                        .maxOutage(outage)
                        .safety(ON_ONE)
                        .lazy()
                        .build()) {
            withoutItsReplica(master, client);
            Lease first = plain.lock("n").acquire();
            CompletableFuture<Lease> waiter = client.lock("n").async().acquire();
            Await.until("it waits", () -> master.redis.exists(Servers.queueKey("n")) == 1);
            Duration took = timeOf(() -> {
                first.close();
                assertThatThrownBy(waiter::join).hasCauseInstanceOf(IndeterminateLockException.class);
            });
            // the longest outage of a client that does not set it is 30 s
            assertThat(took).isBetween(outage, outage.multipliedBy(3));
        }
    }

    @Test
    void aConnectionThatFlapsIsRefusedAllTheSame() throws Exception {
        try (Servers master = Servers.start("--repl-diskless-sync-delay", "0");
                Holdfast client = client(master.uri()).safety(ON_ONE).lazy().build()) {
            withoutItsReplica(master, client);
            long began = System.nanoTime();
            Await.until("it is refused", () -> {
                master.redis.clientKill(KillArgs.Builder.typePubsub());
                return isRefused(client.lock("n"));
            });
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .isBetween(Duration.ofSeconds(5), Duration.ofSeconds(25));
        }
    }

    /** The old master is dead, and the promoted one has no replica so far. */
    @Test
    void aMasterThatAClusterPromotedIsGivenTime() throws Exception {
        try (TestCluster cluster = new TestCluster(1)) {
            cluster.awaitReplicas(1);
            TestCluster.Node old = cluster.keeper(0);
            String name = cluster.nameAt(old);
            try (Holdfast client = client(cluster.uri()).safety(ON_ONE).build()) {
                client.lock(name).acquire().close();
                TestCluster.Node promoted = cluster.replica(old);
                old.server().kill();
                promoted.cluster("FAILOVER", "TAKEOVER");
                Await.until(
                        "it was asked",
                        () -> catchThrowable(() -> client.lock(name).tryLock())
                                        instanceof IndeterminateLockException lost
                                && lost.getMessage().contains("only 0 of 1 replicas have it"));
            }
        }
    }

    @Test
    void whenTheReplicasStayAwayAcquiresAreRefusedUntilTheyAreBack() throws Exception {
        try (Servers master = Servers.start("--repl-diskless-sync-delay", "0")) {
            Servers replica = Servers.following(master);
            try (Holdfast client = client(master.uri())
                    .lease(Duration.ofMinutes(1))
                    .safety(ON_ONE)
                    .build()) {
                Lease held = client.lock("held")
                        .tryAcquire(Duration.ZERO, Duration.ofMinutes(1))
                        .orElseThrow();
                close(replica, master);
                assertThatThrownBy(() -> client.lock("n").tryLock()).isInstanceOf(IndeterminateLockException.class);
                long began = System.nanoTime();
                Await.until("it is refused", () -> isRefused(client.lock("n")));
                assertThat(Duration.ofNanos(System.nanoTime() - began))
                        .isBetween(Duration.ofSeconds(5), Duration.ofSeconds(25));
                Await.until(
                        "what was granted is given back", () -> client.stats().unsettled() == 0);
                long scripts = master.calls("evalsha");
                assertThatThrownBy(() -> client.lock("n").tryLock())
                        .isInstanceOf(StoreRefusedException.class)
                        .hasMessageContaining(TEXT);
                assertThat(master.calls("evalsha")).as("requests").isEqualTo(scripts);
                // a renewal is sent all the same: it finds the loss
                master.redis.del("held");
                assertThatThrownBy(() -> held.extend(Duration.ofMinutes(1))).isInstanceOf(LeaseLostException.class);
                Servers next = Servers.following(master);
                Await.until("it is granted again", () -> isGranted(client));
                next.close();
            }
        }
    }

    @Test
    void aClusterIsRefusedIfNoMasterHasThem() {
        try (TestCluster cluster = new TestCluster(0)) {
            assertThatThrownBy(
                            () -> client(cluster.uri()).safety(ON_ONE).build().close())
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining(TEXT);
        }
    }

    /** The locks of the others work. */
    @Test
    void aClusterWithOneMasterThatHasNoneIsNotRefused() throws Exception {
        try (TestCluster cluster = new TestCluster(1)) {
            cluster.awaitReplicas(1);
            TestCluster.Node lonely = cluster.keeper(0);
            TestCluster.Node other = cluster.keeper(16_383);
            cluster.replica(lonely).server().kill();
            Await.until("it is alone", () -> lonely.redis().info("replication").contains("connected_slaves:0"));
            try (Holdfast client = client(cluster.uri()).safety(ON_ONE).build()) {
                client.lock(cluster.nameAt(other)).acquire().close();
                assertThatThrownBy(() -> client.lock(cluster.nameAt(lonely)).tryLock())
                        .isInstanceOf(StoreRefusedException.class)
                        .hasMessageContaining(TEXT);
            }
        }
    }

    private static boolean isRefused(DistributedLock lock) {
        try {
            return lock.tryLock();
        } catch (StoreRefusedException e) {
            return true;
        } catch (IndeterminateLockException | StoreUnavailableException e) {
            return false;
        }
    }

    private static boolean isGranted(Holdfast client) {
        try (Lease lease = client.lock("n").tryAcquire().orElseThrow()) {
            return lease.isValid();
        } catch (StoreRefusedException | IndeterminateLockException e) {
            return false;
        }
    }

    @Test
    void aServerThatRefusesWritesWithoutReplicasIsUnderstood() throws Exception {
        try (Servers alone = Servers.start("--min-replicas-to-write", "1");
                Holdfast client = client(alone.uri()).build()) {
            assertThatThrownBy(() -> client.lock("n").tryLock())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("it has fewer replicas than its min-replicas-to-write");
        }
    }
}
