package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.Safety;
import io.holdfast.recipes.MultiLock;
import io.holdfast.testkit.Await;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Grants that count when a replica has them. */
class ReplicatedTest {

    private static final Duration LEASE = Duration.ofSeconds(10);

    /** Of a hold that is lost at its deadline. */
    private static final Duration BRIEF = Duration.ofSeconds(3);

    private static final Duration COMMAND = Duration.ofSeconds(10);

    private final Servers master = Servers.start("--repl-diskless-sync-delay", "0");
    private final Servers replica = Servers.following(master);
    private final List<LockEvent> events = new CopyOnWriteArrayList<>();
    private final Holdfast safe = connect("safe", Safety.replicated(1));
    private final Holdfast plain = connect("plain", Safety.async());

    private Holdfast connect(String name, Safety safety) {
        return Holdfast.builder()
                .uri(master.uri())
                .name(name)
                .lease(LEASE)
                .commandTimeout(COMMAND)
                .safety(safety)
                .listener(events::add)
                .build();
    }

    @AfterEach
    void close() throws Exception {
        safe.close();
        plain.close();
        replica.close();
        master.close();
    }

    @Test
    void aGrantIsOnTheReplicaWhenItReturns() throws InterruptedException {
        for (int i = 0; i < 200; i++) {
            Lease lease = safe.lock("n" + i).acquire();
            assertThat(replica.redis.exists("n" + i)).as("n%d", i).isEqualTo(1);
            lease.close();
        }
    }

    @Test
    void manyAtOnceShareTheWaiting() throws Exception {
        try (Holdfast patient = Holdfast.builder()
                .uri(master.uri())
                .commandTimeout(Duration.ofSeconds(20))
                .safety(Safety.replicated(1))
                .build()) {
            List<CompletableFuture<Lease>> all = IntStream.range(0, 500)
                    .mapToObj(i -> patient.lock("n" + i).async().acquire())
                    .toList();
            all.forEach(Await::reply);
            assertThat(master.calls("wait")).isBetween(1L, 400L);
            all.forEach(each -> each.join().close());
        }
    }

    @Test
    void allKindsWork() throws InterruptedException {
        safe.fairLock("fair").acquire().close();
        safe.readWriteLock("read").readLock().acquire().close();
        safe.semaphore("permits").trySetPermits(1);
        safe.semaphore("permits").acquire().close();
        MultiLock.of(safe.lock("m1"), safe.lock("m2")).acquire().close();
        assertThat(master.calls("wait")).isPositive();
    }

    @Test
    void whatTheReplicaHasNotIsNotGranted() throws Exception {
        replica.server.pause();
        assertThatThrownBy(() -> safe.lock("n").tryLock())
                .isInstanceOf(IndeterminateLockException.class)
                .hasMessageContaining("only 0 of 1 replicas have it after 3000 ms");
        Lease unconcerned = plain.lock("other").tryAcquire().orElseThrow();
        unconcerned.close();
        replica.server.resume();
        Await.until("nothing is left of it", () -> master.redis.exists("n") == 0);
    }

    @Test
    void withoutTheRightToWaitWhatWasGrantedIsGivenBack() throws Exception {
        String uri = master.allow("hasty", "+@all", "-wait", "~*", "&*");
        try (Holdfast hasty =
                Holdfast.builder().uri(uri).safety(Safety.replicated(1)).build()) {
            assertThatThrownBy(() -> hasty.lock("n").tryLock())
                    .isInstanceOf(IndeterminateLockException.class)
                    .hasMessageContaining("applied, but waiting for replicas or disks failed")
                    .hasMessageContaining("NOPERM");
            Await.until("it is given back", () -> master.redis.exists("n") == 0);
        }
    }

    @Test
    void whatIsRefusedWaitsForNobody() throws Exception {
        Lease held = plain.lock("m1").acquire();
        replica.server.pause();
        assertThat(MultiLock.of(safe.lock("m1"), safe.lock("m2")).tryLock()).isFalse();
        assertThat(safe.lock("m1").tryLock()).isFalse();
        replica.server.resume();
        held.close();
    }

    @Test
    void whoWaitsGetsItWhenTheReplicaIsBack() throws Exception {
        replica.server.pause();
        CompletableFuture<Lease> waiter = safe.lock("n").async().acquire();
        Await.until("it stands at the master", () -> master.redis.exists("n") == 1);
        assertThat(waiter).isNotDone();
        replica.server.resume();
        Await.reply(waiter).close();
    }

    @Test
    void aHoldThatIsNotReplicatedAnyMoreIsLostAtItsDeadline() throws Exception {
        Lease held = safe.lock("n", LockOptions.defaults().withLease(BRIEF)).acquire();
        Lease other = plain.lock("other").acquire();
        CompletableFuture<Void> told = new CompletableFuture<>();
        held.onLost(lost -> told.complete(null));
        replica.server.pause();
        Await.reply(told);
        assertThat(other.isValid()).isTrue();
        replica.server.resume();
        other.close();
    }

    @Test
    void whatIsAssignedIsReplicatedBeforeItsOwnerRuns() throws Exception {
        Lease first = plain.fairLock("n").acquire();
        CompletableFuture<Lease> next = safe.fairLock("n").async().acquire();
        Await.until("it waits", () -> master.redis.exists(Servers.queueKey("n")) == 1);
        replica.server.pause();
        first.close();
        assertThatThrownBy(() -> next.get(300, TimeUnit.MILLISECONDS))
                .as("the replica does not have it")
                .isInstanceOf(TimeoutException.class);
        replica.server.resume();
        try (Lease got = Await.reply(next)) {
            assertThat(got.fencingToken()).isGreaterThan(first.fencingToken());
        }
    }

    /** One that stayed could be at another server than the next one of the others. */
    @Test
    void whatIsLostIsLostTogether() throws Exception {
        safe.lock("n").acquire().close();
        Set<String> before = connections("safe");
        assertThat(before).hasSize(2);
        master.redis.clientKill(KillArgs.Builder.typePubsub());
        Await.until("all are others", () -> Collections.disjoint(connections("safe"), before));
        Await.until("they are there", () -> connections("safe").size() == 2);
        safe.lock("n").acquire().close();
    }

    private Set<String> connections(String name) {
        return master.redis
                .clientList()
                .lines()
                .filter(line -> line.contains(" name=holdfast-" + name))
                .map(line -> line.split(" ", 2)[0])
                .collect(Collectors.toSet());
    }

    @Test
    void aStoreWithoutReplicasRefuses() throws Exception {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Holdfast.builder()
                        .uri("memory:")
                        .safety(Safety.replicated(2))
                        .build())
                .withMessageContaining(
                        "safety replicated(2): a store of the scheme 'memory' cannot wait for replicas or disks");
        assertThatIllegalArgumentException().isThrownBy(() -> Safety.replicated(0));
        assertThatIllegalArgumentException().isThrownBy(() -> Safety.replicated(101));
    }

    @Test
    void aLossIsToldThoughNoReplicaAnswers() throws Exception {
        Lease held = safe.lock("n").acquire();
        // outlasts the renewals without a confirmation that come before the one that is told
        Lease other = safe.lock("other", LockOptions.defaults().withLease(Duration.ofSeconds(20)))
                .acquire();
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        held.onLost(lost -> told.complete(other.isValid()));
        master.redis.del("n");
        replica.server.pause();
        assertThat(Await.reply(told)).as("what stands at the master is valid").isTrue();
        replica.server.resume();
        other.close();
    }
}
