package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Permit;
import io.holdfast.testkit.SimThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A store that finds signals by looking ten times a second. Nothing tells a holder at once that somebody waits. */
@Tag("slow")
class LookedTest extends VirtualTime {

    private static final Duration LOOK = Duration.ofMillis(100);
    private static final Duration WORK = Duration.ofMillis(1);

    private final List<SimThread> busy = new ArrayList<>();
    private boolean over;
    private Holdfast c;
    private Holdfast d;

    @BeforeEach
    void clients() {
        sim.server("looked").faults(faults -> faults.looksEvery(LOOK));
        c = client("c", options -> options.uri("simulated:looked"));
        d = client("d", options -> options.uri("simulated:looked"));
    }

    @AfterEach
    void nothingIsLeft() {
        over = true;
        busy.forEach(SimThread::join);
        assertNothingIsLeft();
    }

    /** Keeps the lock busy with threads that acquire it again as soon as they have released it. */
    private void keepBusy(DistributedLock lock) {
        for (int i = 0; i < 3; i++) {
            busy.add(start("busy" + i, () -> {
                while (!over) {
                    lock.lock();
                    sim.sleep(WORK);
                    lock.unlock();
                }
            }));
        }
        sim.runFor(Duration.ofSeconds(1));
    }

    /** Returns the longest of some waits that begin at different times after a look. */
    private Duration longestWait(DistributedLock lock) {
        Duration longest = Duration.ZERO;
        for (int i = 0; i < 8; i++) {
            sim.runFor(Duration.ofMillis(313));
            Duration before = sim.elapsed();
            lock.lock();
            Duration waited = sim.elapsed().minus(before);
            sim.sleep(WORK);
            lock.unlock();
            longest = waited.compareTo(longest) > 0 ? waited : longest;
        }
        return longest;
    }

    /** The name is assigned after a slice, and the next look finds that. */
    @Test
    void aBusyClientPassesTheLockOnThoughNothingTellsItThatAnotherWaits() {
        keepBusy(c.lock("n"));
        assertThat(longestWait(d.lock("n"))).isLessThanOrEqualTo(LOOK.plusMillis(10));
    }

    @Test
    void twoBusyClientsTakeTurns() {
        keepBusy(c.lock("n"));
        long before = d.stats().grants();
        keepBusy(d.lock("n"));
        assertThat(d.stats().grants() - before).as("one turn a look").isBetween(8L, 20L);
    }

    @Test
    void aWaiterDoesNotPoll() throws InterruptedException {
        Lease held = c.lock("n").acquire();
        SimThread waiter = start("waiter", () -> d.lock("n").acquire().close());
        sim.runFor(Duration.ofMillis(10));
        long before = calls(d);
        sim.runFor(Duration.ofSeconds(20));
        assertThat(calls(d) - before).as("once a second").isBetween(18L, 23L);
        Duration released = sim.elapsed();
        held.close();
        waiter.join();
        assertThat(sim.elapsed().minus(released)).isLessThanOrEqualTo(LOOK);
    }

    @Test
    void noTenureLingers() {
        DistributedLock lock = c.lock("n", LockOptions.defaults().withLinger(Duration.ofSeconds(5)));
        lock.lock();
        lock.unlock();
        sim.runReady();
        assertThat(sim.inUse()).isEmpty();
        assertThat(d.lock("n").tryLock()).isTrue();
        d.lock("n").unlock();
    }

    @Test
    void aFairLockKeepsTheOrderOfArrival() throws InterruptedException {
        Lease held = c.fairLock("n").acquire();
        List<String> order = new ArrayList<>();
        List<String> names = List.of("d1", "c1", "c2", "d2", "c3", "d3", "d4");
        for (String name : names) {
            DistributedLock lock = (name.startsWith("c") ? c : d).fairLock("n");
            busy.add(start(name, () -> {
                lock.lock();
                order.add(name);
                sim.sleep(WORK);
                lock.unlock();
            }));
            sim.runFor(WORK);
        }
        Duration released = sim.elapsed();
        held.close();
        busy.forEach(SimThread::join);
        assertThat(order).isEqualTo(names);
        assertThat(sim.elapsed().minus(released))
                .isLessThanOrEqualTo(LOOK.plus(WORK).multipliedBy(names.size()));
    }

    /** The readers hear of the writer by a look, and their client gives the lock up. The next look finds that. */
    @Test
    void aWriterIsNotStarvedByReaders() {
        keepBusy(c.readWriteLock("n").readLock());
        assertThat(longestWait(d.readWriteLock("n").writeLock()))
                .isLessThanOrEqualTo(LOOK.multipliedBy(2).plusMillis(10));
    }

    @Test
    void aReaderIsNotStarvedByWriters() {
        keepBusy(c.readWriteLock("n").writeLock());
        assertThat(longestWait(d.readWriteLock("n").readLock())).isLessThanOrEqualTo(LOOK.plusMillis(10));
    }

    @Test
    void permitsAreAssigned() {
        c.semaphore("n").trySetPermits(2);
        List<Permit> held = List.of(
                c.semaphore("n").tryAcquire().orElseThrow(),
                c.semaphore("n").tryAcquire().orElseThrow());
        for (int i = 0; i < 5; i++) {
            busy.add(start("waiter" + i, () -> {
                Permit permit = d.semaphore("n").acquire();
                sim.sleep(WORK);
                permit.close();
            }));
        }
        sim.runFor(Duration.ofMillis(10));
        Duration released = sim.elapsed();
        held.forEach(Permit::close);
        busy.forEach(SimThread::join);
        assertThat(sim.elapsed().minus(released))
                .isLessThanOrEqualTo(LOOK.plus(WORK).multipliedBy(5));
    }
}
