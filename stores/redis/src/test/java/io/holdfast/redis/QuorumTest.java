package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.recipes.QuorumLease;
import io.holdfast.recipes.QuorumLock;
import io.holdfast.recipes.QuorumOptions;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.check.HistoryChecker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A lock over five real servers, of which two are killed or stopped at a time. */
class QuorumTest {

    private static final int SERVERS = 5;
    private static final QuorumOptions BRIEF_BUDGET = options(Duration.ofMillis(200));
    private static final QuorumOptions LONG_BUDGET = options(Duration.ofSeconds(2));

    private final List<RedisServer> servers = new ArrayList<>();
    private final List<Holdfast> clients = new ArrayList<>();
    private final HistoryChecker history = new HistoryChecker();
    private final AtomicBoolean over = new AtomicBoolean();

    private static QuorumOptions options(Duration budget) {
        return QuorumOptions.defaults()
                .withLock(LockOptions.defaults().withLease(Duration.ofSeconds(6)))
                .withBudget(budget);
    }

    @BeforeEach
    void start() {
        IntStream.range(0, SERVERS).forEach(i -> servers.add(RedisServer.start()));
    }

    @AfterEach
    void stop() {
        clients.forEach(Holdfast::close);
        servers.forEach(RedisServer::close);
    }

    private QuorumLock lock() {
        List<Holdfast> mine = servers.stream()
                .map(server -> Holdfast.builder()
                        .uri(server.uri())
                        .commandTimeout(Duration.ofMillis(500))
                        .build())
                .toList();
        clients.addAll(mine);
        return QuorumLock.of(mine, "quorum", BRIEF_BUDGET);
    }

    @Test
    void twoOfFiveMayFailWhileOwnersFollowEachOther() {
        List<CompletableFuture<Void>> owners = Stream.generate(this::lock)
                .limit(3)
                .map(lock -> CompletableFuture.runAsync(() -> work(lock), task -> new Thread(task, "owner").start()))
                .toList();
        moreGrants();
        servers.get(0).kill();
        servers.get(1).pause();
        moreGrants();
        servers.get(1).resume();
        servers.get(2).kill();
        moreGrants();
        servers.get(0).restart();
        servers.get(3).pause();
        moreGrants();
        servers.get(3).resume();
        over.set(true);
        owners.forEach(Await::reply);
        history.check(System.nanoTime());
    }

    private void moreGrants() {
        int before = history.grants();
        Await.until("owners follow each other", () -> history.grants() >= before + 30);
    }

    private void work(QuorumLock lock) {
        while (!over.get()) {
            try {
                lock.tryAcquire(Duration.ofSeconds(10)).ifPresent(this::hold);
            } catch (HoldfastException e) {
                // fewer than a majority answered for a moment, as one was stopped before another was back
                assertThat(e.name()).isEqualTo("quorum");
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private void hold(QuorumLease lease) {
        HistoryChecker.Hold hold =
                history.granted("quorum", Thread.currentThread().toString(), lease.fencingToken(), System.nanoTime());
        lease.onLost(loss -> hold.lost(System.nanoTime()));
        hold.validUntil(System.nanoTime() + lease.remainingLease().toNanos());
        hold.released(System.nanoTime());
        try {
            lease.close();
        } catch (LeaseLostException e) {
            hold.lost(System.nanoTime());
        }
    }

    @Test
    void aServerThatComesBackIsTakenAgain() throws InterruptedException {
        servers.get(0).kill();
        servers.get(1).pause();
        QuorumLock late = lazyLock();
        try (QuorumLease lease = late.acquire()) {
            assertThat(lease.heldAt()).isEqualTo(3);
            servers.get(0).restart();
            servers.get(1).resume();
            Await.until("all are taken: " + lease, () -> lease.heldAt() == SERVERS);
            servers.get(3).kill();
            servers.get(4).kill();
            Await.until("two are lost: " + lease, () -> lease.heldAt() == 3);
            assertThat(lease.isValid()).isTrue();
            Optional<QuorumLease> rival = lazyLock().tryAcquire();
            assertThat(rival).isEmpty();
        }
    }

    /** Its clients connect later, if their server does not run. */
    private QuorumLock lazyLock() {
        List<Holdfast> mine = servers.stream()
                .map(server -> Holdfast.builder().uri(server.uri()).lazy().build())
                .toList();
        clients.addAll(mine);
        return QuorumLock.of(mine, "quorum", LONG_BUDGET);
    }
}
