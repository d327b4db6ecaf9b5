package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockEvent;
import io.holdfast.recipes.MultiLock;
import io.holdfast.testkit.Simulation;
import io.holdfast.testkit.check.HistoryChecker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Multi-locks of random members of one store, of three clients with two threads each, over a network with faults. */
@Tag("slow")
class RandomMultiTest {

    private static final int SEEDS = 30;
    private static final List<String> NAMES = List.of("1", "2", "3", "4");

    @Test
    void theGuaranteesHoldForEachMember() {
        assertThat(RandomClients.mean(SEEDS, Work::new, Work::run)).isGreaterThan(20);
    }

    private static final class Work extends RandomClients {

        private final HistoryChecker history = new HistoryChecker();
        private final Map<String, HistoryChecker.Hold> byToken = new HashMap<>();

        Work(Simulation sim) {
            super(sim);
        }

        int run() {
            work();
            history.check(now());
            end();
            return history.grants();
        }

        @Override
        void onEvent(LockEvent event) {
            if (event instanceof LockEvent.Lost lost) {
                Optional.ofNullable(byToken.get(lost.name() + lost.fencingToken()))
                        .ifPresent(hold -> hold.lost(now()));
            }
        }

        @Override
        void once(Holdfast client) throws InterruptedException {
            List<DistributedLock> some = new ArrayList<>();
            NAMES.stream().filter(name -> random(3) > 0).forEach(name -> some.add(client.lock(name)));
            once(MultiLock.of(some.isEmpty() ? List.of(client.lock("1")) : some));
        }

        private void once(MultiLock lock) throws InterruptedException {
            switch (random(5)) {
                case 0 -> inThread(lock, lock.tryLock());
                case 1 -> inThread(lock, lock.tryLock(millis(500), Duration.ofMillis(100 + random(400))));
                case 2 ->
                    interruptedSoon(() -> {
                        lock.lockInterruptibly();
                        inThread(lock, true);
                    });
                case 3 ->
                    cancelledPerhaps(lock.async().tryAcquire(millis(400)))
                            .ifPresent(lease -> inside(lock, lease::fencingToken, lease::close));
                default -> {
                    lock.lock();
                    inThread(lock, true);
                }
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
