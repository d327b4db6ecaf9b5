package io.holdfast.testkit.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LockReport;
import io.holdfast.Stats;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.TenureId;
import io.holdfast.testkit.Simulation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("everywhere")
class LeakCheckerTest {

    private final Simulation simulation = Simulation.of(1);
    private final LeakChecker checker = new LeakChecker();

    @AfterEach
    void close() {
        simulation.close();
    }

    @Test
    void nothingIsFoundWhereNothingIs() {
        simulation.server("s");
        checker.simulation(simulation).client("c", () -> stats(0, 0, 0)).check();
    }

    @Test
    void heldAndAwaitedNamesAreFoundAndTokensAreNot() {
        LockStore store = simulation.server("s").open(config());
        TenureId tenure = new TenureId("client", 1);
        acquire(store, tenure);
        acquire(store, new TenureId("client", 2));
        checker.simulation(simulation);
        assertThat(checker.leaks()).singleElement().asString().contains("name 'n' held by client", "awaited by 1");
        assertThatThrownBy(checker::check).isInstanceOf(AssertionError.class).hasMessageContaining("name 'n'");
        var first = store.release(Release.of("n", tenure));
        simulation.runReady();
        assertThat(checker.leaks()).isEmpty();
        assertThat(simulation.await(first).held()).isTrue();
        assertThat(simulation.await(store.inspect("n")).lastToken()).isPresent();
        store.close();
    }

    @Test
    void namesHeldByWhoHasClosedAreFoundUntilTheirLeaseEnds() {
        LockStore store = simulation.server("s").open(config());
        acquire(store, new TenureId("client", 1));
        store.close();
        checker.simulation(simulation);
        assertThat(checker.leaks()).hasSize(1);
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(checker.leaks()).isEmpty();
    }

    @Test
    void reportsFromAnywhereAreLookedAt() {
        LockReport free = new LockReport("free", List.of(), List.of(), java.util.OptionalLong.of(5));
        LockReport awaited = new LockReport(
                "awaited",
                List.of(),
                List.of(new LockReport.Waiter(LockReport.Client.unknown("c"), java.time.Instant.EPOCH)),
                java.util.OptionalLong.empty());
        assertThat(checker.names(() -> List.of(free, awaited)).leaks())
                .singleElement()
                .asString()
                .contains("awaited");
    }

    @Test
    void whatClientsHaveNotEndedIsFound() {
        checker.client("c", () -> stats(1, 2, 3));
        assertThat(checker.leaks())
                .containsExactly(
                        "client c: 1 names held", "client c: 2 owners waiting", "client c: 3 releases pending");
    }

    @Test
    void timersThatWereNotClosedAreFound() {
        Platform.Timer timer = simulation.timer("holdfast-c-timer");
        var task = timer.schedule(1_000, () -> {});
        checker.simulation(simulation);
        assertThat(checker.leaks()).containsExactly("timer holdfast-c-timer with 1 tasks");
        task.cancel();
        assertThat(checker.leaks()).containsExactly("timer holdfast-c-timer with 0 tasks");
        timer.close();
        assertThat(checker.leaks()).isEmpty();
    }

    @Test
    void tasksOfWorkersAreFoundUntilTheyHaveRun() {
        simulation.worker("holdfast-c-worker", 1).execute(() -> simulation.sleep(Duration.ofSeconds(1)));
        checker.simulation(simulation);
        assertThat(checker.leaks()).containsExactly("worker holdfast-c-worker with 1 tasks");
        simulation.runReady();
        assertThat(checker.leaks()).containsExactly("worker holdfast-c-worker with 1 tasks");
        simulation.run();
        assertThat(checker.leaks()).isEmpty();
    }

    @Test
    void threadsOfTheSimulationAreFoundUntilTheyEnd() {
        simulation.start("t", () -> simulation.sleep(Duration.ofSeconds(1)));
        checker.simulation(simulation);
        assertThat(checker.leaks()).containsExactly("thread t");
        simulation.run();
        assertThat(checker.leaks()).isEmpty();
    }

    @Test
    void realThreadsAreFound() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        Thread thread = new Thread(
                () -> {
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "holdfast-left");
        thread.start();
        assertThat(checker.leaks()).containsExactly("thread holdfast-left");
        assertThat(new LeakChecker().leaks()).isEmpty();
        end.countDown();
        thread.join();
        assertThat(checker.leaks()).isEmpty();
    }

    private static Stats stats(int held, int waiting, int unsettled) {
        return new Stats(9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, held, waiting, unsettled);
    }

    private void acquire(LockStore store, TenureId tenure) {
        Acquire request = Acquire.of("n", tenure, Duration.ofSeconds(1)).queued(Acquire.Queueing.BARGING, 0);
        assertThat(simulation.await(store.acquire(request))).isNotNull();
    }

    private StoreConfig config() {
        return StoreConfig.of("simulated:s", LockReport.Client.unknown("client"), simulation);
    }
}
