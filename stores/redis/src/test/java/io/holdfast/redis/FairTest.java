package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The fair lock on a real server. */
class FairTest {

    private static final String LOCK = "fair";

    private final Servers servers = Servers.start();
    private final Holdfast first = Holdfast.connect(servers.uri());
    private final Holdfast second = Holdfast.connect(servers.uri());

    @AfterEach
    void close() {
        first.close();
        second.close();
        servers.close();
    }

    private void awaitWaiters(int count) {
        Await.until(count + " wait", () -> first.inspect(LOCK).waiters().size() == count);
    }

    /** On a busy machine an assigned hold lasts for long enough to be renewed. */
    private long callsBesideRenewals() {
        return Stream.of(first.stats(), second.stats())
                .mapToLong(stats -> stats.storeCalls() - stats.renewals())
                .sum();
    }

    @Test
    void isGotInTheOrderOfArrivalByOneCommandAndOneMessageEach() throws InterruptedException {
        List<Integer> order = new CopyOnWriteArrayList<>();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        Lease held = first.fairLock(LOCK).acquire();
        for (int i = 0; i < 10; i++) {
            int number = i;
            Holdfast client = i % 2 == 0 ? first : second;
            all.add(client.fairLock(LOCK).async().acquire().thenCompose(lease -> {
                order.add(number);
                return lease.closeAsync();
            }));
            awaitWaiters(i + 1);
        }
        long calls = callsBesideRenewals();

        held.close();
        all.forEach(CompletableFuture::join);

        assertThat(order).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        // the releases, and a poll that may have been due just then
        assertThat(callsBesideRenewals() - calls).isBetween(11L, 13L);
        assertThat(servers.redis.exists(Servers.queueKey(LOCK), Servers.claimKey(LOCK), LOCK))
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({"KILL, 50", "STOP, 50"})
    void aClientThatIsGoneOrStoppedHoldsUpTheOthersForTwoSecondsAtMost(String signal, int count) throws Exception {
        Lease held = first.fairLock(LOCK).acquire();
        try (Waiters gone = new Waiters(first, servers.uri(), LOCK, count)) {
            CompletableFuture<Lease> next = second.fairLock(LOCK).async().acquire();
            awaitWaiters(count + 1);
            gone.signal(signal);

            long released = System.nanoTime();
            held.close();
            next.join().close();

            assertThat(Duration.ofNanos(System.nanoTime() - released)).isLessThan(Duration.ofMillis(2_500));
        }
    }

    @Test
    void aNewcomerDoesNotOvertakeThoseWhoCameBeforeIt() throws InterruptedException {
        DistributedLock mine = first.fairLock(LOCK);
        mine.lock();
        CompletableFuture<Lease> waiting = second.fairLock(LOCK).async().acquire();
        awaitWaiters(1);
        mine.unlock();
        assertThat(mine.tryLock()).isFalse();
        waiting.join().close();
        assertThat(mine.tryLock(Duration.ofSeconds(10))).isTrue();
        mine.unlock();
    }

    @Test
    void aLineSurvivesARestartOfTheServer() throws InterruptedException {
        Lease held = first.fairLock(LOCK).acquire();
        List<Integer> order = new CopyOnWriteArrayList<>();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int number = i;
            all.add(second.fairLock(LOCK).async().acquire().thenCompose(lease -> {
                order.add(number);
                return lease.closeAsync();
            }));
            awaitWaiters(i + 1);
        }
        servers.server.kill();
        servers.server.restart();
        all.forEach(CompletableFuture::join);
        assertThat(order).containsExactly(0, 1, 2, 3);
        Await.until("the old hold is lost", () -> !held.isValid());
    }
}
