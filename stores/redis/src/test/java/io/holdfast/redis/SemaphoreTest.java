package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.LeaseLostException;
import io.holdfast.Permit;
import io.holdfast.StoreRefusedException;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Release;
import io.holdfast.spi.Share;
import io.holdfast.spi.Signal;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Semaphores on a real server. */
class SemaphoreTest {

    private static final String NAME = "downloads";
    private static final long WORK_NANOS = 300_000;

    /** A waiter that is not told would ask only after most of this time. */
    private static final Duration POLL = Duration.ofSeconds(20);

    private static final Duration SOON = Duration.ofSeconds(10);

    private final Servers servers = Servers.start();
    private final Holdfast first = Holdfast.connect(servers.uri());
    private final Holdfast second = Holdfast.connect(servers.uri());
    private final DistributedSemaphore here = first.semaphore(NAME);
    private final DistributedSemaphore there = second.semaphore(NAME);

    @AfterEach
    void nothingIsLeft() {
        Await.until("nobody holds any", () -> here.available() == here.permits());
        Await.until(
                "all is settled",
                () -> first.stats().unsettled() + second.stats().unsettled() == 0);
        here.delete();
        assertThat(servers.keysOf(NAME))
                .as("keys that do not end by themselves")
                .allMatch(key -> servers.redis.pttl(key) > 0)
                .allMatch(key -> key.matches(".*}:p[ds]:.*"));
        first.close();
        second.close();
        servers.close();
    }

    private static List<String> threads(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
        return threads.stream().map(Thread::getName).toList();
    }

    @Test
    void neverMoreThanThereAreAreOut() throws InterruptedException {
        here.trySetPermits(3);
        AtomicInteger out = new AtomicInteger();
        List<Integer> tooMany = new CopyOnWriteArrayList<>();
        AtomicInteger rounds = new AtomicInteger();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int wanted = 1 + i % 2;
            DistributedSemaphore semaphore = i < 2 ? here : i < 4 ? there : second.fairSemaphore(NAME);
            all.add(new Thread(() -> {
                for (int round = 0; round < 100; round++) {
                    try (Permit permit = semaphore.acquire(wanted)) {
                        int now = out.addAndGet(permit.count());
                        if (now > 3) {
                            tooMany.add(now);
                        }
                        LockSupport.parkNanos(WORK_NANOS);
                        out.addAndGet(-permit.count());
                        rounds.incrementAndGet();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }
            }));
        }
        all.forEach(Thread::start);
        assertThat(threads(all)).hasSize(6);
        assertThat(tooMany).isEmpty();
        assertThat(rounds).hasValue(600);
    }

    @Test
    void anUncontendedPermitIsTwoCommandsAndNoMessage() {
        here.trySetPermits(2);
        here.tryAcquire().orElseThrow().close();
        long before = servers.calls("evalsha");
        here.tryAcquire().orElseThrow().close();
        assertThat(servers.calls("evalsha") - before).isEqualTo(2);
        assertThat(servers.calls("publish")).isZero();
    }

    @Test
    void aReleaseAssignsToWhoWaits() throws InterruptedException {
        here.trySetPermits(2);
        Permit held = here.acquire(2);
        try (Holdfast patient =
                Holdfast.builder().uri(servers.uri()).pollInterval(POLL).build()) {
            CompletableFuture<Permit> waiting = patient.semaphore(NAME).async().acquire(2);
            Await.until("it waits", () -> servers.redis.zcard(key("pq")) == 1);
            long began = System.nanoTime();
            held.close();
            waiting.join().close();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SOON);
        }
    }

    private static String key(String kind) {
        return "hf:{" + NAME + "}:" + kind + ":" + NAME;
    }

    @Tag("ci")
    @Test
    void thePermitsOfAProcessThatIsKilledComeBackWithItsLease() throws Exception {
        here.trySetPermits(2);
        try (CountingProcess other = new CountingProcess(servers.uri(), "hold", NAME)) {
            Await.until("it holds them", () -> here.available() == 0);
            CompletableFuture<Permit> waiting = here.async().acquire(2);
            other.kill();
            long began = System.nanoTime();
            waiting.join().close();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SOON);
        }
    }

    @Tag("ci")
    @ParameterizedTest
    @ValueSource(strings = {"STOP", "KILL"})
    void aWaitingProcessThatIsStoppedCostsAClaimWindowAndOneThatIsKilledNothing(String signal) throws Exception {
        here.trySetPermits(1);
        Permit held = here.acquire();
        try (CountingProcess other = new CountingProcess(servers.uri(), "wait", NAME)) {
            Await.until("it waits", () -> servers.redis.zcard(key("pq")) == 1);
            CompletableFuture<Permit> next = there.async().acquire();
            Await.until("both wait", () -> servers.redis.zcard(key("pq")) == 2);
            other.signal(signal);
            long began = System.nanoTime();
            held.close();
            next.join().close();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SOON);
        }
    }

    @Test
    void aPlaceOfAClientThatIsGoneHoldsNobodyUpThoughItWantsMoreThanIsFree() throws InterruptedException {
        here.trySetPermits(2);
        Permit held = here.acquire();
        try (TestClient gone = TestClient.open(servers.uri())) {
            inLine(gone, 2);
        }
        assertThat(servers.redis.zcard(key("pq"))).isEqualTo(1);
        CompletableFuture<Permit> waiting = second.fairSemaphore(NAME).async().acquire();
        Await.until("the place is passed over", waiting::isDone);
        waiting.join().close();
        held.close();
    }

    @Test
    void aFairPlaceOfAClientThatIsGoneBarsNobodyThoughALiveOnePrecedesIt() throws InterruptedException {
        here.trySetPermits(2);
        Permit held = here.acquire();
        try (TestClient live = TestClient.open(servers.uri())) {
            Acquire both = live.request(NAME, 1).withShare(Share.permits(2));
            assertThat(live.acquire(both.queued(Acquire.Queueing.BARGING, 0))).isInstanceOf(Acquire.Refused.class);
            try (TestClient gone = TestClient.open(servers.uri())) {
                inLine(gone, 1);
                assertThat(there.tryAcquire()).isEmpty();
            }
            Await.until("the place is passed over", () -> {
                Optional<Permit> permit = there.tryAcquire();
                permit.ifPresent(Permit::close);
                return permit.isPresent();
            });
            Await.reply(live.store().release(Release.of(NAME, live.tenure(1)).withMode(Share.Mode.PERMITS)));
        }
        held.close();
    }

    @Test
    void aPlaceOfAClientThatListensIsNotPassedOver() throws InterruptedException {
        here.trySetPermits(2);
        Permit held = here.acquire();
        try (TestClient there = TestClient.open(servers.uri())) {
            inLine(there, 2);
            assertThat(second.fairSemaphore(NAME).tryAcquire()).isEmpty();
            assertThat(servers.redis.zcard(key("pq"))).isEqualTo(1);
            held.close();
            assertThat(there.next(Signal.Assigned.class).tenure()).isEqualTo(there.tenure(1));
            Await.reply(there.store().release(Release.of(NAME, there.tenure(1)).withMode(Share.Mode.PERMITS)));
        }
    }

    @Test
    void aPlaceThatWantsMoreThanThereAreInAllHoldsNobodyUp() throws InterruptedException {
        here.trySetPermits(3);
        Permit held = here.acquire();
        try (TestClient there = TestClient.open(servers.uri())) {
            inLine(there, 3);
            here.setPermits(2);
            second.fairSemaphore(NAME).acquire().close();
        }
        held.close();
    }

    private static void inLine(TestClient client, int permits) {
        Acquire request = client.request(NAME, 1).withShare(Share.permits(permits));
        assertThat(client.acquire(request.queued(Acquire.Queueing.FAIR, 0))).isInstanceOf(Acquire.Refused.class);
    }

    @Test
    void anotherProcessMayGiveAPermitBack() throws InterruptedException {
        here.trySetPermits(1);
        Permit held = here.acquire();
        assertThat(there.holders()).singleElement().satisfies(holder -> {
            assertThat(holder.id()).isEqualTo(held.id());
            assertThat(holder.client().id()).isEqualTo(first.clientId());
            assertThat(holder.client().name()).isPresent();
        });
        there.release(held.id());
        there.acquire().close();
        Await.until("the holder is told", () -> !held.isValid());
        assertThatThrownBy(held::close).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> there.release(held.id())).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void aKeyOfSomethingElseIsRefused() {
        servers.redis.set(key("ph"), "something else");
        try {
            assertThatThrownBy(() -> here.trySetPermits(1))
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining(key("ph"))
                    .hasMessageContaining("keeps a string there");
        } finally {
            servers.redis.del(key("ph"));
        }
    }

    @Test
    void permitsSurviveALostConnection() throws InterruptedException {
        here.trySetPermits(2);
        Permit held = here.acquire();
        Permit all = there.drain().orElseThrow();
        CompletableFuture<Permit> waiting = there.async().acquire(1);
        Await.until("it waits", () -> servers.redis.zcard(key("pq")) == 1);
        servers.cut();
        held.ensureValid(Duration.ofSeconds(1));
        held.close();
        waiting.join().close();
        all.close();
    }

    @Test
    void areNotListedAsLocks() throws InterruptedException {
        here.trySetPermits(2);
        try (Permit held = here.acquire()) {
            assertThat(held.isValid()).isTrue();
            assertThat(first.list("")).isEmpty();
            assertThat(first.inspect(NAME).holders()).isEmpty();
        }
    }
}
