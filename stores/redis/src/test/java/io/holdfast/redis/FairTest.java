package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Release;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
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
        awaitWaiters(first, LOCK, count);
    }

    private static void awaitWaiters(Holdfast client, String lock, int count) {
        Await.until(count + " wait", () -> client.inspect(lock).waiters().size() == count);
    }

    @Test
    void isGotInTheOrderOfArrivalByOneCommandAndOneMessageEach() throws Exception {
        // what is not claimed in time is assigned again
        InTime.run(this::isGotInTheOrderOfArrival);
    }

    private void isGotInTheOrderOfArrival(String lock) throws InterruptedException {
        Traffic traffic = new Traffic();
        List<Integer> order = new CopyOnWriteArrayList<>();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        try (Holdfast one = traffic.connect(servers.uri());
                Holdfast other = traffic.connect(servers.uri())) {
            Lease held = one.fairLock(lock).acquire();
            for (int i = 0; i < 10; i++) {
                int number = i;
                Holdfast client = i % 2 == 0 ? one : other;
                all.add(client.fairLock(lock).async().acquire().thenCompose(lease -> {
                    order.add(number);
                    return lease.closeAsync();
                }));
                // asked by the waiter's client, whose connection delivers the reply to its request first
                awaitWaiters(client, lock, i + 1);
            }
            traffic.clear();

            held.close();
            all.forEach(CompletableFuture::join);
        }
        assertThat(order).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        assertThat(traffic.counts()).isEqualTo(Map.of("release", 11L, "assignment", 10L));
        assertThat(servers.redis.exists(Servers.queueKey(lock), Servers.claimKey(lock), lock))
                .isZero();
    }

    /**
     * The traffic about locks between clients and their stores, without renewals. An assigned hold is renewed if it is not
     * released within 3 ms, which a busy machine decides. The clients poll so rarely that no poll is due during the test.
     */
    private static final class Traffic {

        private final Queue<String> seen = new ConcurrentLinkedQueue<>();

        Holdfast connect(String uri) {
            StoreProvider redis = new RedisStoreProvider();
            return Holdfast.builder()
                    .uri(uri)
                    .pollInterval(Duration.ofSeconds(20))
                    .provider(new StoreProvider() {
                        @Override
                        public Set<String> schemes() {
                            return redis.schemes();
                        }

                        @Override
                        public LockStore open(StoreConfig config) {
                            return watched(redis, config);
                        }
                    })
                    .build();
        }

        private LockStore watched(StoreProvider redis, StoreConfig config) {
            Consumer<Signal> signals = signal -> {
                if (signal instanceof Signal.Assigned) {
                    seen.add("assignment");
                }
                config.signals().accept(signal);
            };
            return new ForwardingStore(redis.open(config.withClient(config.client(), signals, config.describer()))) {
                @Override
                public CompletionStage<Acquire.Reply> acquire(Acquire request) {
                    seen.add("acquire");
                    return super.acquire(request);
                }

                @Override
                public CompletionStage<Release.Reply> release(Release request) {
                    seen.add("release");
                    return super.release(request);
                }
            };
        }

        void clear() {
            seen.clear();
        }

        Map<String, Long> counts() {
            return seen.stream().collect(Collectors.groupingBy(what -> what, Collectors.counting()));
        }
    }

    @Tag("ci")
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

            // two seconds for each of them would be ten times as much
            assertThat(Duration.ofNanos(System.nanoTime() - released)).isLessThan(Duration.ofSeconds(count / 5));
        }
    }

    @Test
    void aNewcomerDoesNotOvertakeThoseWhoCameBeforeIt() throws Exception {
        // what is not claimed in time is free again
        InTime.run(this::aNewcomerDoesNotOvertake);
    }

    private void aNewcomerDoesNotOvertake(String lock) throws InterruptedException {
        DistributedLock mine = first.fairLock(lock);
        mine.lock();
        CompletableFuture<Lease> waiting = second.fairLock(lock).async().acquire();
        awaitWaiters(first, lock, 1);
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
