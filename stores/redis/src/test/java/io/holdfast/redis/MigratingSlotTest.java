package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.Holdfast;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.Permit;
import io.holdfast.Safety;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.TestCluster.Node;
import io.holdfast.redis.script.KeyLayout;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Change;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What is held while the keys of a slot are at two nodes, some here and some there. */
class MigratingSlotTest {

    private static final Duration LEASE = Duration.ofSeconds(6);
    private static final Duration SHORT = Duration.ofSeconds(20);
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int MOST_KEYS = 4;
    private static final int PERMITS = 3;
    private static final int COUNT = 2;

    /** Longer than a command timeout in these tests, and shorter than an outage that a client waits for. */
    private static final Duration SOON = Duration.ofSeconds(10);

    private static TestCluster cluster;
    private static Node from;
    private static Node to;

    @BeforeAll
    static void start() {
        cluster = new TestCluster(0);
        from = cluster.nodes.get(0);
        to = cluster.nodes.get(1);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void whileASlotIsHalfMovedNothingIsLostAndWhoAsksWaits() throws Exception {
        String tag = "{" + cluster.nameAt(from) + "}";
        int slot = KeyLayout.slot(tag);
        Queue<LockEvent.Lost> lost = new ConcurrentLinkedQueue<>();
        try (Holdfast client = Holdfast.builder()
                        .uri(cluster.uri())
                        .lease(LEASE)
                        .listener(event -> {
                            if (event instanceof LockEvent.Lost loss) {
                                lost.add(loss);
                            }
                        })
                        .build();
                Holdfast other = Holdfast.connect(cluster.uri())) {
            Lease stays = client.lock(tag + "stays").acquire();
            Lease goes = client.lock(tag + "goes").acquire();
            Lease ends = client.lock(tag + "ends", LockOptions.defaults().withLease(Duration.ofMinutes(1)))
                    .acquire();
            cluster.beginMove(slot, from, to);
            cluster.moveKeys(from, to, List.of(goes.name(), ends.name()));
            long renewals = client.stats().renewals();
            Await.until("both are renewed twice", () -> client.stats().renewals() - renewals > 4);
            assertThat(lost).isEmpty();
            assertThat(stays.isValid() && goes.isValid()).isTrue();
            ends.close();
            Await.until("it is given back", () -> to.redis().clusterCountKeysInSlot(slot) == 1);
            CompletableFuture<Lease> asked = other.lock(ends.name()).async().acquire();
            cluster.moveKeys(from, to, from.redis().clusterGetKeysInSlot(slot, 100));
            cluster.endMove(slot, to);
            asked.get().close();
            assertThat(other.lock(stays.name()).tryAcquire()).isEmpty();
            assertThat(other.lock(goes.name()).tryAcquire()).isEmpty();
            stays.close();
            goes.close();
            assertThat(lost).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void whatIsHeldIsRenewedWhereverItsKeysAre(Mode mode) {
        try (TestClient holder = TestClient.open(cluster.uri());
                TestClient other = TestClient.open(cluster.uri())) {
            List<String> names = halfMoved(mode, holder);
            int slot = KeyLayout.slot(names.get(0));
            List<Renew> batch = names.stream()
                    .map(name -> new Renew(name, holder.tenure(1), mode, LONG, 0))
                    .toList();
            assertThat(holder.renew(batch)).hasOnlyElementsOfType(Renew.Renewed.class);
            assertThat(holder.renew(List.of(new Renew(names.get(1), holder.tenure(2), mode, LONG, 0))))
                    .hasOnlyElementsOfType(Renew.Lost.class);
            arrive(slot);
            for (String name : names) {
                assertThat(other.acquire(request(name, other.tenure(1), against(mode))))
                        .as(name)
                        .isInstanceOfSatisfying(
                                Acquire.Refused.class,
                                refused -> assertThat(refused.retryAfter()).isGreaterThan(SHORT));
            }
            assertThat(to.redis().clusterGetKeysInSlot(slot, 1_000))
                    .filteredOn(MigratingSlotTest::isOfHolders)
                    .allMatch(key -> to.redis().pttl(key) > SHORT.toMillis() * 2);
        }
    }

    /** The servers refuse each copy, so the outcome is known. */
    @ParameterizedTest
    @CsvSource({"TRYAGAIN, 1", "ASK, 1000"})
    void callsFailInTimeWithTheRefusalOfAHalfMovedSlot(String refusal, int mostMoved) throws Exception {
        try (Holdfast patient = client(Duration.ofSeconds(20));
                Holdfast client = client(Duration.ofSeconds(3))) {
            String name = "{" + cluster.nameAt(from) + "}s";
            int slot = KeyLayout.slot(name);
            patient.semaphore(name).setPermits(PERMITS);
            Permit held = patient.semaphore(name).acquire();
            assertThat(patient.countDownLatch(name).trySetCount(COUNT)).isTrue();
            cluster.beginMove(slot, from, to);
            List<String> keys = from.redis().clusterGetKeysInSlot(slot, 1_000);
            assertThat(keys).hasSizeGreaterThan(1);
            cluster.moveKeys(from, to, keys.stream().limit(mostMoved).toList());
            assertThat(failures(
                            () -> client.semaphore(name).addPermits(1),
                            () -> client.countDownLatch(name).countDown(),
                            () -> client.lock(name).tryLock(),
                            () -> client.semaphore(name).tryAcquire()))
                    .allSatisfy(failure -> assertThat(failure)
                            .isExactlyInstanceOf(StoreUnavailableException.class)
                            .hasMessageContaining(refusal));
            arrive(slot);
            Await.until("nothing is in doubt", () -> client.stats().unsettled() == 0);
            assertThat(patient.semaphore(name).permits()).isEqualTo(PERMITS);
            assertThat(patient.semaphore(name).available()).isEqualTo(PERMITS - 1);
            assertThat(patient.countDownLatch(name).count()).isEqualTo(COUNT);
            assertThat(patient.lock(name).tryLock()).isTrue();
            held.close();
        }
    }

    private static Holdfast client(Duration commandTimeout) {
        return Holdfast.builder()
                .uri(cluster.uri())
                .commandTimeout(commandTimeout)
                .build();
    }

    /** Makes calls at the same time, and returns the failure of each. */
    private static List<Throwable> failures(ThrowingCallable... calls) {
        return Stream.of(calls)
                .map(call ->
                        CompletableFuture.supplyAsync(() -> failure(call), task -> new Thread(task, "caller").start()))
                .toList()
                .stream()
                .map(Await::reply)
                .toList();
    }

    /** A call whose time is up while a copy is under way does not know its outcome. On a busy machine, that happens. */
    private static Throwable failure(ThrowingCallable call) {
        Throwable failure = failureInTime(call);
        for (int again = 0; again < 3 && failure instanceof IndeterminateLockException; again++) {
            failure = failureInTime(call);
        }
        return failure;
    }

    private static Throwable failureInTime(ThrowingCallable call) {
        long start = System.nanoTime();
        Throwable failure = catchThrowable(call);
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .as("the time until %s", failure)
                .isLessThan(SOON);
        return failure;
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void whatNoReplicaHasIsNotRenewed(Mode mode) {
        // lazy, because a server without replicas refuses this client when it connects
        try (TestClient holder = TestClient.open(cluster.uri());
                TestClient safe = TestClient.open(
                        cluster.uri(),
                        config -> config.withSafety(Safety.replicated(1)).withLazy(true))) {
            // so that it knows where the slots are
            Await.reply(safe.store().inspect("anything"));
            List<String> names = halfMoved(mode, holder);
            List<Renew> batch = names.stream()
                    .map(name -> new Renew(name, holder.tenure(1), mode, LONG, 0))
                    .toList();
            assertThat(safe.renew(batch)).hasOnlyElementsOfType(Renew.Failed.class);
            arrive(KeyLayout.slot(names.get(0)));
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void whatIsGivenUpIsFreeWhenTheSlotHasArrived(Mode mode) {
        try (TestClient holder = TestClient.open(cluster.uri());
                TestClient other = TestClient.open(cluster.uri())) {
            List<String> names = halfMoved(mode, holder);
            for (String name : names) {
                Release release = Release.of(name, holder.tenure(1)).withMode(mode);
                assertThat(Await.reply(holder.store().release(release)).held()).isTrue();
            }
            arrive(KeyLayout.slot(names.get(0)));
            for (String name : names) {
                assertThat(other.acquire(request(name, other.tenure(1), against(mode))))
                        .as(name)
                        .isInstanceOf(Acquire.Granted.class);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void aPlaceIsWithdrawnWhenTheSlotHasArrived(Mode mode) {
        try (TestClient holder = TestClient.open(cluster.uri());
                TestClient waiter = TestClient.open(cluster.uri())) {
            List<String> names = halfMoved(
                    mode,
                    holder,
                    name -> assertThat(waiter.acquire(request(name, waiter.tenure(1), against(mode))
                                    .queued(Acquire.Queueing.BARGING, 0)))
                            .isInstanceOf(Acquire.Refused.class));
            int slot = KeyLayout.slot(names.get(0));
            List<CompletionStage<Release.Reply>> given = names.stream()
                    .map(name -> Release.of(name, waiter.tenure(1)).withMode(against(mode)))
                    // a script that has all keys at first may miss one that it has emptied
                    .map(release -> waiter.store()
                            .release(release)
                            .exceptionallyCompose(error -> waiter.store().release(release)))
                    .toList();
            arrive(slot);
            given.forEach(reply -> assertThat(Await.reply(reply).held()).isFalse());
            assertThat(to.redis().clusterGetKeysInSlot(slot, 1_000))
                    .isNotEmpty()
                    .noneMatch(key -> key.contains("}:q:") || key.contains("}:pq:"));
        }
    }

    @Test
    void anEndThatCannotBeGivenUpIsOfNobody() {
        try (TestClient holder = TestClient.open(cluster.uri())) {
            String name = halfMoved(Mode.PERMITS, holder, each -> {
                        String ends = new KeyLayout("", "").countedKeys(each, "pe")[0];
                        from.redis().del(ends);
                        from.redis().set(ends, "something else");
                    })
                    .get(0);
            Release release = Release.of(name, holder.tenure(1)).withMode(Mode.PERMITS);
            assertThat(Await.reply(holder.store().release(release)).held()).isTrue();
            arrive(KeyLayout.slot(name));
        }
    }

    private static List<String> halfMoved(Mode mode, TestClient holder) {
        return halfMoved(mode, holder, name -> {});
    }

    /** Names that the holder has, one with all keys where they were, one with the first on its way, one with the first two, ... */
    private static List<String> halfMoved(Mode mode, TestClient holder, Consumer<String> before) {
        String tag = "{" + cluster.nameAt(from) + "}";
        int slot = KeyLayout.slot(tag);
        List<String> names =
                IntStream.rangeClosed(0, MOST_KEYS).mapToObj(i -> tag + i).toList();
        for (String name : names) {
            if (mode == Mode.PERMITS) {
                Await.reply(holder.store().counters().change(limit(name, holder.tenure(1))));
            }
            assertThat(holder.acquire(request(name, holder.tenure(1), mode))).isInstanceOf(Acquire.Granted.class);
            before.accept(name);
        }
        cluster.beginMove(slot, from, to);
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            cluster.moveKeys(
                    from,
                    to,
                    from.redis().clusterGetKeysInSlot(slot, 1_000).stream()
                            .filter(key -> key.contains(name))
                            .sorted()
                            .limit(i)
                            .toList());
        }
        return names;
    }

    /** What is refused while it is held so. */
    private static Mode against(Mode mode) {
        return mode == Mode.LOCK || mode == Mode.PERMITS ? mode : Mode.WRITE;
    }

    /** Not of a semaphore as such: its size, and the changes of the last minute. */
    private static boolean isOfHolders(String key) {
        return !key.contains("}:pl:") && !key.contains("}:pd:") && !key.contains("}:t:");
    }

    private static void arrive(int slot) {
        cluster.moveKeys(from, to, from.redis().clusterGetKeysInSlot(slot, 1_000));
        cluster.endMove(slot, to);
    }

    private static Change limit(String name, TenureId id) {
        return new Change(Change.Kind.SET_PERMITS, name, id, PERMITS, Optional.empty(), Long.MAX_VALUE >> 11);
    }

    private static Acquire request(String name, TenureId tenure, Mode mode) {
        Share share = mode == Mode.PERMITS ? Share.permits(PERMITS) : Share.of(mode);
        return Acquire.of(name, tenure, SHORT).withShare(share);
    }
}
