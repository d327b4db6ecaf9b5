package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.MultiLease;
import io.holdfast.MultiLock;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.SimulatedServer;
import io.holdfast.testkit.Simulation;
import io.holdfast.testkit.check.HistoryChecker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Multi-locks of random members of one store, of three clients with two threads each, over a network with faults. */
@Tag("once")
class RandomMultiTest {

    private static final int SEEDS = Integer.getInteger("holdfast.seeds", 80);
    private static final long FIRST = Long.getLong("holdfast.seed", 1);
    private static final List<String> NAMES = List.of("1", "2", "3", "4");
    private static final int ROUNDS = 6;

    @Test
    void theGuaranteesHoldForEachMember() {
        long grants = 0;
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            try (Simulation sim = Simulation.of(seed)) {
                grants += new Work(sim).run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("replay with -Dholdfast.seeds=1 -Dholdfast.seed=" + seed, e);
            }
        }
        assertThat(grants).isGreaterThan(SEEDS * 20L);
    }

    private static final class Work {

        private final Simulation sim;
        private final SimulatedServer server;
        private final List<Holdfast> clients = new ArrayList<>();
        private final HistoryChecker history = new HistoryChecker();
        private final Map<String, HistoryChecker.Hold> byToken = new HashMap<>();

        Work(Simulation sim) {
            this.sim = sim;
            server = sim.server("s");
        }

        int run() {
            List<SimThread> threads = new ArrayList<>();
            for (int c = 0; c < 3; c++) {
                clients.add(Holdfast.builder()
                        .uri("simulated:s")
                        .platform(sim)
                        .name("c" + c)
                        .lease(Duration.ofMillis(900))
                        .commandTimeout(Duration.ofMillis(300))
                        .listener(this::onEvent)
                        .build());
            }
            server.faults(faults -> faults.probability(0.02).maxDelay(Duration.ofMillis(800)));
            for (int t = 0; t < 6; t++) {
                Holdfast client = clients.get(t / 2);
                threads.add(sim.start("t" + t, () -> work(client)));
            }
            sim.runUntil(() -> threads.stream().allMatch(SimThread::done), Duration.ofMinutes(30));
            threads.forEach(SimThread::join);
            server.faults(faults -> faults.probability(0));
            sim.runUntil(() -> clients.stream().allMatch(c -> c.stats().unsettled() == 0), Duration.ofMinutes(1));
            sim.runFor(Duration.ofSeconds(3));
            assertThat(sim.inUse()).as("held or awaited at the store").isEmpty();
            assertThat(clients).allMatch(c -> c.stats().held() == 0 && c.stats().waiting() == 0);
            history.check(now());
            clients.forEach(Holdfast::close);
            sim.run();
            assertThat(sim.leftovers()).isEmpty();
            return history.grants();
        }

        private long now() {
            return sim.elapsed().toNanos();
        }

        private int random(int bound) {
            return (int) Math.floorMod(sim.randomLong() >> 8, (long) bound);
        }

        private Duration millis(int bound) {
            return Duration.ofMillis(random(bound));
        }

        private void onEvent(LockEvent event) {
            if (event instanceof LockEvent.Lost lost) {
                Optional.ofNullable(byToken.get(lost.lockName() + lost.token())).ifPresent(hold -> hold.lost(now()));
            }
        }

        private void work(Holdfast client) {
            for (int round = 0; round < ROUNDS; round++) {
                List<DistributedLock> some = new ArrayList<>();
                NAMES.stream().filter(name -> random(3) > 0).forEach(name -> some.add(client.lock(name)));
                try {
                    once(Holdfast.multiLock(some.isEmpty() ? List.of(client.lock("1")) : some));
                } catch (HoldfastException | LeaseLostException e) {
                    sim.log(e.getClass().getSimpleName());
                } catch (InterruptedException e) {
                    sim.log("interrupted");
                }
                sim.sleep(millis(30));
            }
        }

        private void once(MultiLock lock) throws InterruptedException {
            switch (random(5)) {
                case 0 -> inThread(lock, lock.tryLock());
                case 1 -> inThread(lock, lock.tryLock(millis(500), Duration.ofMillis(100 + random(400))));
                case 2 -> interruptedSoon(lock);
                case 3 -> cancelledPerhaps(lock);
                default -> {
                    lock.lock();
                    inThread(lock, true);
                }
            }
        }

        private void interruptedSoon(MultiLock lock) throws InterruptedException {
            Thread me = Thread.currentThread();
            SimThread interrupter = sim.start("interrupter", () -> {
                sim.sleep(millis(100));
                me.interrupt();
            });
            try {
                lock.lockInterruptibly();
                inThread(lock, true);
            } finally {
                while (!interrupter.done()) {
                    var unused = Thread.interrupted();
                    sim.sleep(Duration.ofMillis(1));
                }
                var unused = Thread.interrupted();
            }
        }

        private void cancelledPerhaps(MultiLock lock) {
            CompletableFuture<Optional<MultiLease>> future = lock.async().tryAcquire(millis(400));
            Thread me = Thread.currentThread();
            var unused = future.whenComplete((lease, error) -> sim.unpark(me));
            if (random(3) == 0) {
                sim.sleep(millis(50));
                future.cancel(true);
            }
            while (!future.isDone()) {
                sim.park(future, Long.MAX_VALUE);
            }
            if (!future.isCompletedExceptionally() && future.join().isPresent()) {
                MultiLease lease = future.join().get();
                inside(lock, lease::token, lease::close);
            }
        }

        private void inThread(MultiLock lock, boolean held) {
            if (held) {
                inside(lock, DistributedLock::fencingToken, lock::unlock);
            }
        }

        /** A hold counts until its loss is told, so that a silent one overlaps. */
        private void inside(MultiLock lock, ToLongFunction<DistributedLock> token, Runnable release) {
            List<HistoryChecker.Hold> holds = new ArrayList<>();
            try {
                for (DistributedLock member : lock.members()) {
                    long number = token.applyAsLong(member);
                    String owner = Thread.currentThread().getName();
                    HistoryChecker.Hold hold = history.granted(member.name(), owner, number, now());
                    byToken.put(member.name() + number, hold);
                    holds.add(hold);
                }
                sim.sleep(millis(random(20) == 0 ? 2_000 : 200));
            } finally {
                holds.forEach(hold -> hold.released(now()));
                release.run();
            }
        }
    }
}
