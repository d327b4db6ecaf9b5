package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.FencedOutException;
import io.holdfast.Holdfast;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.Safety;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.faults.Wire;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Another server takes the place of the one that clients know, at the same address. */
@Tag("ci")
class FailoverTest {

    private static final Logger LOG = LoggerFactory.getLogger(FailoverTest.class);
    private static final Duration LEASE = Duration.ofSeconds(20);

    private final Servers master = Servers.start("--repl-diskless-sync-delay", "0");
    private final Servers replica = Servers.following(master);
    private final Wire address = new Wire(master.server.port());
    private final List<LockEvent> events = new CopyOnWriteArrayList<>();
    private final Holdfast a = connect("a");
    private final Holdfast b = connect("b");

    private Holdfast connect(String name) {
        return Holdfast.builder()
                .uri(Servers.uri(address.port()))
                .name(name)
                .lease(LEASE)
                .listener(events::add)
                .build();
    }

    @AfterEach
    void close() throws Exception {
        a.close();
        b.close();
        address.close();
        replica.close();
        master.close();
    }

    /** The replica is the master from now on; what the other did meanwhile it has not seen. */
    private void promote() {
        replica.redis.replicaofNoOne();
    }

    private void lead() {
        address.leadTo(replica.server.port());
        master.server.kill();
    }

    @Test
    void whatTheNewMasterNeverSawIsToldAtOnceAndItsTokenIsTheLowerOne() throws Exception {
        Lease before = a.lock("n").acquire();
        before.close();
        promote();
        Lease old = a.lock("n").acquire();
        CompletableFuture<Void> told = new CompletableFuture<>();
        old.onLost(lost -> told.complete(null));
        lead();
        long killed = System.nanoTime();

        Lease other = b.lock("n").acquire();

        assertThat(other.fencingToken()).isGreaterThan(old.fencingToken());
        long granted = System.nanoTime();
        assertThat(told).succeedsWithin(LEASE.dividedBy(2));
        LOG.info(
                "granted again after {} ms, the old holder was told after {} ms",
                (granted - killed) / 1_000_000,
                (System.nanoTime() - killed) / 1_000_000);
        assertThat(old.isValid()).isFalse();
        assertThatThrownBy(() -> old.ensureValid(Duration.ZERO)).isInstanceOf(LeaseLostException.class);
        RedisFence fence = RedisFence.of(replica.redis);
        fence.set("row", other.fencingToken(), "of the new holder");
        assertThatThrownBy(() -> fence.set("row", old.fencingToken(), "of the old one"))
                .isInstanceOf(FencedOutException.class);
        other.close();
    }

    @Test
    void whatTheReplicaCannotHaveIsNotGranted() throws Exception {
        try (Holdfast safe = Holdfast.builder()
                .uri(Servers.uri(address.port()))
                .safety(Safety.replicated(1))
                .build()) {
            safe.lock("n").acquire().close();
            promote();
            assertThatThrownBy(() -> safe.lock("n").tryLock())
                    .isInstanceOf(IndeterminateLockException.class)
                    .hasMessageContaining("only 0 of 1 replicas have it");
        }
    }

    @Test
    void whatTheNewMasterHasGoesOn() throws Exception {
        Lease held = a.lock("n").acquire();
        CompletableFuture<Lease> waiter = b.lock("n").async().acquire();
        Await.until("the waiter is in the queue", () -> replica.redis.exists(Servers.queueKey("n")) == 1);
        promote();
        lead();
        Await.until(
                "it was renewed there",
                () -> held.remainingLease().compareTo(LEASE.minusSeconds(2)) > 0 && replica.calls("evalsha") > 0);
        assertThat(waiter).isNotDone();
        held.close();
        assertThat(waiter).succeedsWithin(LEASE.dividedBy(2));
        assertThat(waiter.join().fencingToken()).isGreaterThan(held.fencingToken());
        waiter.join().close();
        assertThat(events).noneMatch(LockEvent.Lost.class::isInstance);
    }

    @Test
    void aMasterThatIsMadeAReplicaIsLeftForTheOneThatTookItsPlace() throws InterruptedException {
        DistributedLock lock = a.lock("n");
        // longer than the wait for its release, which goes on after an unlock that had no answer in time
        lock.lock(Duration.ofMinutes(10));
        Await.until("the replica has the hold", () -> replica.redis.exists("n") == 1);
        promote();
        address.leadTo(replica.server.port());
        master.redis.replicaof("127.0.0.1", replica.server.port());
        DistributedLock other = b.lock("m");
        assertThat(other.tryLock(LEASE)).isTrue();
        other.unlock();
        lock.unlock();
        Await.until("it is released there", () -> replica.redis.exists("n") == 0);
        assertThat(events).noneMatch(LockEvent.Lost.class::isInstance);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void anAttemptThatHangsIsFollowedByAnother(int answers) throws Exception {
        try (Wire wire = new Wire(master.server.port());
                Holdfast c = Holdfast.builder()
                        .uri(Servers.uri(wire.port()))
                        .connectTimeout(Duration.ofMillis(400))
                        .commandTimeout(Duration.ofSeconds(20))
                        .lazy()
                        .build()) {
            Await.until("it is connected", () -> isConnected(c));
            wire.silenceNewOnesAfter(answers);
            int before = wire.connections();
            wire.cut();
            Await.until("there are three more attempts", () -> wire.connections() >= before + 3);
            wire.mendNewOnes();
            assertThat(c.lock("n").tryLock(LEASE)).isTrue();
            c.lock("n").unlock();
        }
    }

    private static boolean isConnected(Holdfast client) {
        try {
            return client.inspect("n").holders().isEmpty();
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    @Test
    void aReplicaIsRefused() throws Exception {
        assertThatThrownBy(() -> Holdfast.connect(replica.uri()))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageStartingWith(
                        "Redis at " + replica.uri() + ": cannot connect: it is a replica; connect to the primary");
    }

    @Test
    void aServerThatHasForgottenAllTellsHoldersAndServesWaiters() throws Exception {
        Lease held = a.lock("n").acquire();
        CompletableFuture<Lease> waiter = b.lock("n").async().acquire();
        Await.until("the waiter is in the queue", () -> master.redis.exists(Servers.queueKey("n")) == 1);
        CompletableFuture<Void> told = new CompletableFuture<>();
        held.onLost(lost -> told.complete(null));
        master.server.kill();
        master.server.restart();
        assertThat(told).succeedsWithin(LEASE.dividedBy(2));
        assertThat(waiter).succeedsWithin(LEASE.dividedBy(2));
        assertThat(waiter.join().fencingToken()).isGreaterThan(held.fencingToken());
        waiter.join().close();
    }
}
