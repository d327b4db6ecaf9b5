package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.testkit.SimThread;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who reads and may write later: alone among the readers, and nobody writes in between. */
class UpgradeTest extends ReadersAndWriters {

    private final DistributedLock upgradeable = atA.upgradeableLock();

    @Test
    void othersMayReadButNotWriteNorWriteLater() {
        upgradeable.lock();

        other("reader of a", atA.readLock(), SHORT);
        other("reader of b", atB.readLock(), SHORT);
        assertThat(order).containsExactly("reader of a", "reader of b");
        sim.runFor(PAUSE);
        assertThat(atB.writeLock().tryLock()).isFalse();
        assertThat(atB.upgradeableLock().tryLock()).isFalse();
        assertThat(inOther(() -> atA.writeLock().tryLock())).isFalse();
        assertThat(inOther(() -> upgradeable.tryLock())).isFalse();

        upgradeable.unlock();
        assertThat(atB.upgradeableLock().tryLock()).isTrue();
        atB.upgradeableLock().unlock();
    }

    @Test
    void writesAsSoonAsTheOthersReadNoMore() {
        upgradeable.lock();
        long read = upgradeable.fencingToken();
        other("reader", atB.readLock(), PAUSE);
        long before = sim.nanoTime();

        atA.writeLock().lock();

        assertThat(Duration.ofNanos(sim.nanoTime() - before)).isLessThanOrEqualTo(PAUSE.plus(SHORT));
        assertThat(atA.writeLock().fencingToken()).isGreaterThan(read);
        assertThat(atB.readLock().tryLock()).isFalse();
        assertThat(inOther(() -> atA.readLock().tryLock())).isFalse();
        atA.writeLock().unlock();
        assertThat(atB.readLock().tryLock()).isTrue();
        atB.readLock().unlock();
        upgradeable.unlock();
    }

    @Test
    void goesBeforeAllWhoWait() {
        upgradeable.lock();
        other("reader", atB.readLock(), PAUSE);
        other("writer of b", atB.writeLock(), SHORT);
        other("writer of a", atA.writeLock(), SHORT);
        other("late reader", atB.readLock(), SHORT);
        long before = sim.nanoTime();

        atA.writeLock().lock();
        assertThat(Duration.ofNanos(sim.nanoTime() - before)).isLessThanOrEqualTo(PAUSE);
        order.add("me");
        sim.sleep(PAUSE);
        atA.writeLock().unlock();
        sim.runFor(PAUSE);
        assertThat(order).containsExactly("reader", "me");

        upgradeable.unlock();
        sim.runFor(PAUSE);
        assertThat(order).hasSize(5).startsWith("reader", "me").contains("writer of a", "writer of b", "late reader");
    }

    @Test
    void mayReadWhileSomebodyWaitsToWrite() {
        upgradeable.lock();
        other("writer", atB.writeLock(), SHORT);

        atA.readLock().lock();
        assertThat(atA.readLock().isValid()).isTrue();
        atA.readLock().unlock();
        assertThat(order).isEmpty();
        upgradeable.unlock();
    }

    @Test
    void mayBeUnlockedWhileTheWriteLockIsHeld() {
        upgradeable.lock();
        atA.writeLock().lock();
        other("next of a", upgradeable, SHORT);
        other("next of b", atB.upgradeableLock(), SHORT);

        upgradeable.unlock();
        sim.runFor(PAUSE);
        assertThat(order).isEmpty();
        atA.writeLock().unlock();
        sim.runFor(PAUSE);
        assertThat(order).containsExactlyInAnyOrder("next of a", "next of b");
    }

    @Test
    void whoWritesMayTakeItAndReadOn() {
        atA.writeLock().lock();
        upgradeable.lock();
        other("writer of a", atA.writeLock(), SHORT);

        atA.writeLock().unlock();
        sim.runFor(PAUSE);
        assertThat(order).isEmpty();
        assertThat(upgradeable.isValid()).isTrue();
        atA.writeLock().lock();
        atA.writeLock().unlock();
        upgradeable.unlock();
        sim.runFor(PAUSE);
        assertThat(order).containsExactly("writer of a");
    }

    @Test
    void twoClientsThatReadAndWriteLoseNoUpdate() {
        int[] value = {0};
        for (DistributedReadWriteLock lock : List.of(atA, atB, atA, atB)) {
            others.add(start("adds", () -> {
                for (int i = 0; i < 10; i++) {
                    lock.upgradeableLock().lock();
                    int read = value[0];
                    sim.sleep(SHORT);
                    lock.writeLock().lock();
                    sim.sleep(SHORT);
                    value[0] = read + 1;
                    lock.writeLock().unlock();
                    lock.upgradeableLock().unlock();
                }
            }));
        }
        others.forEach(SimThread::join);

        assertThat(value[0]).isEqualTo(40);
    }

    @Test
    void aReaderIsRefusedItAndToWriteBesideIt() {
        atA.readLock().lock();
        assertThatThrownBy(() -> upgradeable.lock())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'n'")
                .hasMessageContaining("to acquire the upgradeable read lock")
                .hasMessageContaining("Unlock the read lock first; unless the upgradeable lock was acquired before it");
        assertThat(upgradeable.tryLock()).as("as one reader beside others").isTrue();
        assertThat(atA.writeLock().tryLock()).isFalse();
        upgradeable.unlock();
        atA.readLock().unlock();

        upgradeable.lock();
        atA.readLock().lock();
        assertThat(atA.writeLock().tryLock()).isFalse();
        assertThatThrownBy(() -> atA.writeLock().lock())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("to acquire the write lock");
        atA.readLock().unlock();
        atA.writeLock().lock();
        atA.writeLock().unlock();
        upgradeable.unlock();
    }

    @Test
    void aLeaseKeepsItsOwnThreadFromWriting() throws InterruptedException {
        try (Lease lease = upgradeable.acquire()) {
            assertThat(atB.readLock().tryLock()).isTrue();
            atB.readLock().unlock();
            assertThat(atA.writeLock().tryLock()).isFalse();
            assertThatThrownBy(() -> atA.writeLock().lock())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("token " + lease.fencingToken());
        }
        upgradeable.lock();
        Lease reading = atA.readLock().acquire();
        assertThatThrownBy(() -> atA.writeLock().lock())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("release that hold first");
        reading.close();
        upgradeable.unlock();
    }

    @Test
    void whoLosesItWhileWaitingToWriteIsTold() {
        upgradeable.lock();
        Lease reading = atB.readLock().tryAcquire().orElseThrow();
        start("force", () -> {
            sim.sleep(SHORT);
            assertThat(b.lock("n").forceUnlock()).isTrue();
        });

        assertThatThrownBy(() -> atA.writeLock().lock()).isInstanceOf(LeaseLostException.class);

        assertThat(atA.writeLock().isHeldByCurrentThread()).isFalse();
        assertThatThrownBy(() -> atA.writeLock().lock()).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(upgradeable::unlock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(reading::close).isInstanceOf(LeaseLostException.class);
        assertThat(atB.writeLock().tryLock()).isTrue();
        atB.writeLock().unlock();
    }

    /** Its client does not know of it yet, and would write on what it read before others wrote. */
    @Test
    void whoseReadingTheStoreHasForgottenDoesNotWrite() {
        upgradeable.lock();
        Lease reading = atB.readLock().tryAcquire().orElseThrow();
        start("flush", () -> {
            sim.sleep(PAUSE.dividedBy(2));
            server.wipe();
        });

        assertThatThrownBy(() -> atA.writeLock().lock()).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(upgradeable::unlock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(reading::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void whoseLeaseEndsWhileItWaitsToWriteKeepsNobodyOut() {
        Lease reading = atB.readLock().tryAcquire().orElseThrow();
        upgradeable.lock(Duration.ofSeconds(1));
        long before = sim.nanoTime();

        assertThatThrownBy(() -> atA.writeLock().lock()).isInstanceOf(LeaseLostException.class);

        assertThat(Duration.ofNanos(sim.nanoTime() - before)).isLessThan(Duration.ofSeconds(4));
        assertThat(atB.readLock().tryLock()).isTrue();
        atB.readLock().unlock();
        reading.close();
        assertThatThrownBy(upgradeable::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void whoWritesAndReadsMayTakeItToo() {
        atA.writeLock().lock();
        atA.readLock().lock();
        upgradeable.lock();
        atA.writeLock().unlock();
        atA.readLock().unlock();
        assertThat(upgradeable.isValid()).isTrue();
        upgradeable.unlock();
    }

    @Test
    void whoReadsByALeaseIsRefusedToWaitForTheWriterThatWaitsForIt() throws InterruptedException {
        Lease reading = atA.readLock().acquire();
        other("writer", atB.writeLock(), SHORT);
        assertThatThrownBy(() -> upgradeable.lock())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("release that hold first");
        reading.close();
    }

    @Test
    void whoGivesUpToWriteLetsReadersInAgain() throws InterruptedException {
        upgradeable.lock();
        other("reader", atB.readLock(), Duration.ofSeconds(1));
        SimThread late = start("late", () -> {
            sim.sleep(SHORT);
            atB.readLock().lock();
            order.add("late");
            atB.readLock().unlock();
        });
        others.add(late);

        assertThat(atA.writeLock().tryLock(PAUSE)).isFalse();
        sim.runFor(SHORT.multipliedBy(2));

        assertThat(order).contains("late");
        assertThat(upgradeable.isValid()).isTrue();
        upgradeable.unlock();
    }

    @Test
    void isReentrantAndKeepsItsLeaseLikeAnyLock() {
        upgradeable.lock();
        upgradeable.lock();
        assertThat(upgradeable.holdCount()).isEqualTo(2);
        sim.sleep(LEASE.multipliedBy(2));
        assertThat(upgradeable.isValid()).isTrue();
        upgradeable.unlock();
        upgradeable.unlock();

        DistributedLock once = a.readWriteLock("n", LockOptions.defaults().withReentrant(false))
                .upgradeableLock();
        once.lock();
        assertThatThrownBy(once::lock).isInstanceOf(IllegalStateException.class);
        once.unlock();
    }
}
