package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLatch;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.Permit;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Semaphores and latches of several clients, over a network with faults. */
@Tag("slow")
class RandomCountsTest {

    private static final int SEEDS = 30;

    @Test
    void noMorePermitsAreValidThanThereAre() {
        assertThat(RandomClients.mean(SEEDS, Permits::new, Permits::run)).isGreaterThan(15);
    }

    @Test
    void eachCountCountsOnce() {
        assertThat(RandomClients.mean(SEEDS, Counts::new, Counts::run)).isGreaterThan(25);
    }

    private static final class Permits extends RandomClients {

        private static final int ALL = 3;

        private final Set<Permit> out = new HashSet<>();
        private final Set<Long> tokens = new HashSet<>();

        Permits(Simulation sim) {
            super(sim);
            clients.get(0).semaphore("s").trySetPermits(ALL);
        }

        int run() {
            work();
            assertThat(clients.get(0).semaphore("s").available()).isEqualTo(ALL);
            assertThat(clients.get(0).semaphore("s").holders()).isEmpty();
            assertThat(clients.get(0).semaphore("s").delete()).isTrue();
            end();
            return tokens.size();
        }

        @Override
        void once(Holdfast client) throws InterruptedException {
            DistributedSemaphore semaphore = random(2) == 0 ? client.semaphore("s") : client.fairSemaphore("s");
            int count = 1 + random(2);
            Optional<Permit> got = switch (random(6)) {
                case 0 -> semaphore.tryAcquire(count);
                case 1 -> semaphore.tryAcquire(count, millis(500));
                case 2 -> semaphore.tryAcquire(count, millis(500), Duration.ofMillis(100 + random(400)));
                case 3 -> semaphore.drain();
                case 4 -> cancelledPerhaps(semaphore.async().tryAcquire(count, millis(400)));
                default -> Optional.of(semaphore.acquire(count));
            };
            got.ifPresent(this::use);
        }

        private void use(Permit permit) {
            out.add(permit);
            assertThat(tokens.add(permit.fencingToken()))
                    .as("a token of its own")
                    .isTrue();
            assertThat(out.stream()
                            .filter(Lease::isValid)
                            .mapToInt(Permit::count)
                            .sum())
                    .as("valid permits")
                    .isLessThanOrEqualTo(ALL);
            try {
                sim.sleep(millis(random(20) == 0 ? 2_000 : 200));
            } finally {
                out.remove(permit);
                permit.close();
            }
        }
    }

    private static final class Counts extends RandomClients {

        private static final int ALL = 40;

        private int counted;
        private int unsure;
        private int opened;

        Counts(Simulation sim) {
            super(sim);
            clients.get(0).countDownLatch("l").trySetCount(ALL);
        }

        int run() {
            List<SimThread> waiting = new ArrayList<>();
            for (Holdfast client : clients) {
                waiting.add(sim.start("waits", () -> awaitOpening(client.countDownLatch("l"))));
            }
            work();
            DistributedLatch latch = clients.get(0).countDownLatch("l");
            assertThat(latch.count()).isBetween(ALL - counted - unsure, ALL - counted);
            assertThat(opened).isZero();
            latch.countDown(latch.count());
            sim.runUntil(() -> waiting.stream().allMatch(SimThread::done), Duration.ofMinutes(1));
            waiting.forEach(SimThread::join);
            assertThat(latch.delete()).isTrue();
            end();
            return counted;
        }

        /** A first request that is not answered ends the wait. */
        private void awaitOpening(DistributedLatch latch) throws InterruptedException {
            try {
                latch.await();
                opened++;
            } catch (StoreUnavailableException e) {
                awaitOpening(latch);
            }
        }

        @Override
        void once(Holdfast client) {
            try {
                client.countDownLatch("l").countDown();
                counted++;
            } catch (HoldfastException e) {
                unsure++;
                throw e;
            }
        }
    }
}
