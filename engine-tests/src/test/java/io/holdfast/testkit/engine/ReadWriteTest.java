package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.StoreRefusedException;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many read or one writes, over all clients; neither side waits for ever. */
@Tag("everywhere")
class ReadWriteTest extends ReadersAndWriters {

    // ---- who excludes whom

    @Test
    void allReadTogetherAndNobodyWrites() {
        atA.readLock().lock();
        assertThat(atB.readLock().tryLock()).isTrue();
        other("another thread of a", atA.readLock(), SHORT);
        other("a writer of b", atB.writeLock(), SHORT);

        assertThat(order).containsExactly("another thread of a");
        atA.readLock().unlock();
        sim.runFor(PAUSE);
        assertThat(order).hasSize(1);
        atB.readLock().unlock();
        sim.runFor(PAUSE);
        assertThat(order).containsExactly("another thread of a", "a writer of b");
    }

    @Test
    void whoWritesIsAlone() {
        atA.writeLock().lock();

        assertThat(inOther(() -> atA.readLock().tryLock())).isFalse();
        assertThat(inOther(() -> atA.writeLock().tryLock())).isFalse();
        assertThat(atB.readLock().tryLock()).isFalse();
        assertThat(atB.writeLock().tryLock()).isFalse();

        atA.writeLock().unlock();
        assertThat(atB.writeLock().tryLock()).isTrue();
        atB.writeLock().unlock();
    }

    @Test
    void theNameIsNotALocksToo() {
        atA.readLock().lock();
        assertThatThrownBy(() -> b.lock("n").tryLock())
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("'n' is held as a read/write lock, and requested as a lock");
        atA.readLock().unlock();

        a.lock("n").lock();
        assertThatThrownBy(() -> atB.writeLock().tryLock())
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("'n' is held as a lock, and requested as a read/write lock");
        a.lock("n").unlock();
    }

    // ---- sharing

    @Test
    void onlyTheFirstReaderOfAClientAsksTheStore() {
        DistributedLock lock = atA.readLock();
        lock.lock();
        lock.tryAcquire().orElseThrow().close();
        sim.runFor(SHORT);
        // signals are known to arrive by now
        long before = calls(a);
        List<Long> tokens = new ArrayList<>();

        for (int i = 0; i < 10; i++) {
            start("reader", () -> {
                lock.lock();
                tokens.add(lock.fencingToken());
                lock.lock();
                lock.unlock();
                lock.unlock();
            });
        }
        try (Lease lease = lock.tryAcquire().orElseThrow()) {
            tokens.add(lease.fencingToken());
        }
        sim.runFor(SHORT);

        assertThat(calls(a)).isEqualTo(before);
        assertThat(tokens).hasSize(11).containsOnly(lock.fencingToken());
        lock.unlock();
        sim.runFor(SHORT);
        assertThat(calls(a)).isEqualTo(before + 1);
    }

    @Test
    void thoseWhoWaitTogetherAreAskedForOnce() {
        atB.writeLock().lock();
        for (int i = 0; i < 5; i++) {
            other("r" + i, atA.readLock(), PAUSE);
        }
        long before = calls(a);
        atB.writeLock().unlock();
        sim.runFor(SHORT);

        assertThat(order).hasSize(5);
        assertThat(calls(a)).isEqualTo(before);
    }

    @Test
    void whoOnlyTriesIsAnsweredByTheCallUnderWay() {
        Held call = faults(a).holdRequest(Operation.ACQUIRE);
        other("first", atA.readLock(), PAUSE);
        SimThread second = start("second", () -> {
            assertThat(atA.readLock().tryLock()).isTrue();
            atA.readLock().unlock();
        });
        sim.runFor(SHORT);
        call.letGo();
        second.join();
    }

    // ---- nobody waits for ever

    @Test
    void aWriterGetsItsTurnThoughReadersComeAndGo() {
        others.add(start("readers", () -> comeAndGo(atA.readLock())));
        others.add(start("more readers", () -> comeAndGo(atA.readLock())));
        others.add(start("readers elsewhere", () -> comeAndGo(atB.readLock())));
        sim.runFor(PAUSE);
        long before = sim.nanoTime();

        atB.writeLock().lock();

        assertThat(Duration.ofNanos(sim.nanoTime() - before)).isLessThan(Duration.ofMillis(200));
        atB.writeLock().unlock();
    }

    @Test
    void aWriterOfTheSameClientDoesToo() {
        others.add(start("readers", () -> comeAndGo(atA.readLock())));
        others.add(start("more readers", () -> comeAndGo(atA.readLock())));
        sim.runFor(PAUSE);
        long before = sim.nanoTime();

        atA.writeLock().lock();

        assertThat(Duration.ofNanos(sim.nanoTime() - before)).isLessThan(Duration.ofMillis(200));
        atA.writeLock().unlock();
    }

    /** Never for a moment without a reader, for two seconds, if nobody stops it. */
    private void comeAndGo(DistributedLock lock) throws InterruptedException {
        for (int i = 0; i < 40; i++) {
            Lease now = lock.acquire();
            sim.sleep(Duration.ofMillis(25));
            CompletableFuture<Lease> next = lock.async().acquire();
            sim.sleep(Duration.ofMillis(25));
            now.close();
            sim.await(next).close();
        }
    }

    @Test
    void aReaderGetsItsTurnThoughWritersComeAndGo() {
        for (int i = 0; i < 3; i++) {
            Holdfast client = i == 0 ? a : b;
            others.add(start("writer", () -> {
                for (int k = 0; k < 50; k++) {
                    client.readWriteLock("n").writeLock().lock();
                    sim.sleep(Duration.ofMillis(5));
                    client.readWriteLock("n").writeLock().unlock();
                }
            }));
        }
        sim.runFor(Duration.ofMillis(20));
        long before = sim.nanoTime();

        atA.readLock().lock();

        assertThat(Duration.ofNanos(sim.nanoTime() - before)).isLessThan(Duration.ofMillis(100));
        atA.readLock().unlock();
    }

    @Test
    void whoReadsIsLetInTogetherAndBeforeAWriterThatCameLater() {
        atB.writeLock().lock();
        other("reader of a", atA.readLock(), PAUSE);
        Holdfast c = client("c");
        other("reader of c", c.readWriteLock("n").readLock(), PAUSE);
        other("writer of c", c.readWriteLock("n").writeLock(), SHORT);
        other("late reader", client("d").readWriteLock("n").readLock(), SHORT);

        atB.writeLock().unlock();
        sim.runFor(SHORT);
        assertThat(order).containsExactlyInAnyOrder("reader of a", "reader of c");
        sim.runFor(PAUSE.multipliedBy(2));

        assertThat(order).hasSize(4).endsWith("writer of c", "late reader");
    }

    // ---- one thread with both

    @Test
    void whoWritesMayReadTooAndGoesOnReading() {
        atA.writeLock().lock();
        long written = atA.writeLock().fencingToken();
        atA.readLock().lock();
        atA.readLock().lock();
        other("reader of b", atB.readLock(), SHORT);
        other("writer of b", atB.writeLock(), SHORT);
        assertThat(order).isEmpty();

        atA.writeLock().unlock();
        sim.runFor(PAUSE);

        assertThat(order).containsExactly("reader of b");
        assertThat(atA.readLock().holdCount()).isEqualTo(2);
        assertThat(atA.readLock().fencingToken()).isGreaterThan(written);
        assertThat(atA.writeLock().isHeldByCurrentThread()).isFalse();
        atA.readLock().unlock();
        atA.readLock().unlock();
        sim.runFor(PAUSE);
        assertThat(order).containsExactly("reader of b", "writer of b");
    }

    @Test
    void aWriterOfTheSameClientWaitsForWhoReadsOn() {
        atA.writeLock().lock();
        other("writer", atA.writeLock(), SHORT);
        atA.readLock().lock();

        atA.writeLock().unlock();
        sim.runFor(PAUSE);

        assertThat(order).isEmpty();
        atA.readLock().unlock();
        sim.runFor(PAUSE);
        assertThat(order).containsExactly("writer");
    }

    @Test
    void theReadLockMayBeUnlockedFirst() {
        atA.writeLock().lock();
        atA.readLock().lock();
        atA.readLock().unlock();
        assertThat(atB.readLock().tryLock()).isFalse();
        atA.writeLock().unlock();
        assertThat(atB.readLock().tryLock()).isTrue();
        atB.readLock().unlock();
    }

    @Test
    void whoReadsIsRefusedToWriteInsteadOfWaitingForItself() {
        atA.readLock().lock();

        assertThatThrownBy(() -> atA.writeLock().lock())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'n'")
                .hasMessageContaining("would wait for itself to acquire the write lock")
                .hasMessageContaining("Unlock the read lock first, and repeat all checks");
        assertThatThrownBy(() -> atA.writeLock().acquire()).isInstanceOf(IllegalStateException.class);

        atA.readLock().unlock();
        atA.writeLock().lock();
        assertThatThrownBy(() -> atA.readLock().acquire()).isInstanceOf(IllegalStateException.class);
        atA.writeLock().unlock();
    }

    @Test
    void aLeaseThatReadsKeepsItsOwnThreadFromWriting() throws InterruptedException {
        try (Lease reading = atA.readLock().acquire()) {
            assertThat(atA.writeLock().tryLock()).isFalse();
            assertThatThrownBy(() -> atA.writeLock().lock())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("token " + reading.fencingToken())
                    .hasMessageContaining("release that hold first");
        }
    }

    @Test
    void whoReadsMayTryToWriteInVain() throws InterruptedException {
        atA.readLock().lock();
        assertThat(atA.writeLock().tryLock()).isFalse();
        Duration before = sim.elapsed();
        assertThat(atA.writeLock().tryLock(PAUSE)).isFalse();
        assertThat(sim.elapsed().minus(before)).isGreaterThanOrEqualTo(PAUSE);
        assertThat(atA.writeLock().runOnce(PAUSE, () -> {})).isFalse();
        atA.readLock().unlock();
        assertThat(atA.writeLock().tryLock()).isTrue();
        atA.writeLock().unlock();
    }

    @Test
    void whoseReadingWasLostIsToldSoWhenItTriesToWrite() {
        DistributedLock write = atA.writeLock();
        atA.readLock().lock();
        atB.readLock().forceUnlock();
        sim.runFor(PAUSE);
        assertThatThrownBy(write::tryLock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> write.tryLock(PAUSE)).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(write::lock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(atA.readLock()::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(write.tryLock()).isTrue();
        write.unlock();
    }

    /** It would write on what it read before others may have written. */
    @Test
    void whoseReadingEndsWhileItWaitsToWriteDoesNotWrite() {
        atA.readLock().lock(Duration.ofSeconds(1));
        assertThatThrownBy(() -> atA.writeLock().tryLock(Duration.ofSeconds(3))).isInstanceOf(LeaseLostException.class);
        assertThat(atA.writeLock().isHeldByCurrentThread()).isFalse();
        assertThatThrownBy(atA.readLock()::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(atB.writeLock().tryLock()).isTrue();
        atB.writeLock().unlock();
    }

    @Test
    void levelsWithALeaseOfTheirOwnDoNotAddUp() {
        DistributedLock lock = atA.writeLock();
        lock.lock(Duration.ofSeconds(10));
        lock.lock(Duration.ofSeconds(10));
        lock.lock(Duration.ofSeconds(10));

        assertThat(lock.remainingLease()).isLessThanOrEqualTo(Duration.ofSeconds(10));
        assertThat(b.inspect("n").holder().orElseThrow().remainingLease()).isLessThanOrEqualTo(Duration.ofSeconds(10));
        lock.unlock();
        lock.unlock();
        lock.unlock();
    }

    // ---- ends

    @Test
    void aReaderWithALeaseOfItsOwnEndsWithIt() {
        SimThread long1 = other("long", atA.readLock(), Duration.ofSeconds(5));
        atA.readLock().lock(Duration.ofSeconds(1));
        sim.sleep(Duration.ofSeconds(2));

        assertThat(atA.readLock().isValid()).isFalse();
        assertThatThrownBy(() -> atA.readLock().unlock()).isInstanceOf(LeaseLostException.class);
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
        assertThat(atB.writeLock().tryLock()).isFalse();
        long1.join();
        assertThat(atB.writeLock().tryLock()).isTrue();
        atB.writeLock().unlock();
    }

    @Test
    void aReaderWithALeaseOfItsOwnIsNotJoined() {
        atA.readLock().lock(Duration.ofSeconds(1));
        SimThread joins = other("joins", atA.readLock(), Duration.ofSeconds(5));
        sim.sleep(Duration.ofSeconds(2));

        assertThat(atA.readLock().isValid()).isFalse();
        assertThatThrownBy(() -> atA.readLock().unlock()).isInstanceOf(LeaseLostException.class);
        joins.join();
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
    }

    @Test
    void aReaderWithALeaseOfItsOwnLengthensNoOther() throws InterruptedException {
        atA.readLock().lock();
        SimThread own = start("own", () -> {
            atA.readLock().lock(Duration.ofMinutes(10));
            sim.sleep(PAUSE);
            atA.readLock().unlock();
        });
        sim.runReady();
        Lease next = atA.readLock().acquire();
        own.join();

        assertThat(b.inspect("n").holders())
                .isNotEmpty()
                .allMatch(holder -> holder.remainingLease().compareTo(LEASE) <= 0);
        next.close();
        atA.readLock().unlock();
    }

    @Test
    void allWhoReadAreToldWhenTheirTenureIsLost() throws InterruptedException {
        Lease first = atA.readLock().acquire();
        Lease second = atA.readLock().acquire();
        atA.readLock().lock();
        List<String> lost = new ArrayList<>();
        first.onLost(loss -> lost.add("first"));
        second.onLost(loss -> lost.add("second"));

        assertThat(atB.readLock().forceUnlock()).isTrue();
        sim.runFor(PAUSE);

        assertThat(lost).containsExactlyInAnyOrder("first", "second");
        assertThat(events(LockEvent.Lost.class)).hasSize(3);
        assertThat(first.isValid()).isFalse();
        assertThatThrownBy(first::close).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(second::close).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> atA.readLock().unlock()).isInstanceOf(LeaseLostException.class);
        assertThat(atA.readLock().tryLock()).isTrue();
        atA.readLock().unlock();
    }

    @Test
    void theReadersOfADeadClientEndWithTheirLeaseAndOthersGoOn() {
        Holdfast dead = client("dead");
        Lease left = dead.readWriteLock("n").readLock().tryAcquire().orElseThrow();
        faults(dead).outage(true);
        atA.readLock().lock();
        long before = sim.nanoTime();
        SimThread writer = other("writer", atB.writeLock(), SHORT);
        sim.runFor(Duration.ofSeconds(40));
        assertThat(order).isEmpty();
        assertThat(atA.readLock().isValid()).isTrue();
        atA.readLock().unlock();
        writer.join();

        assertThat(Duration.ofNanos(sim.nanoTime() - before)).isBetween(LEASE, Duration.ofSeconds(42));
        assertThat(left.isValid()).isFalse();
        faults(dead).outage(false);
    }

    @Test
    void aReadingThreadThatDiesLeavesTheOthersReading() {
        start("dies", () -> atA.readLock().lock()).join();
        atA.readLock().lock();
        sim.runFor(LEASE.multipliedBy(2));

        assertThat(events(LockEvent.Abandoned.class)).hasSize(1);
        assertThat(atA.readLock().isValid()).isTrue();
        atA.readLock().unlock();
        sim.runFor(Duration.ofSeconds(1));
        assertThat(atB.writeLock().tryLock()).isTrue();
        atB.writeLock().unlock();
    }

    @Test
    void tokensRiseFromWriterToReaderToWriter() {
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            tokens.add(tokenOf(atA.writeLock()));
            tokens.add(tokenOf(atB.writeLock()));
            tokens.add(tokenOf(atA.readLock()));
        }
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    private static long tokenOf(DistributedLock lock) {
        lock.lock();
        long token = lock.fencingToken();
        lock.unlock();
        return token;
    }

    @Test
    void whoGivesUpWaitingLetsThoseBehindItIn() throws InterruptedException {
        atA.readLock().lock();
        SimThread writer =
                start("writer", () -> assertThat(atB.writeLock().tryLock(PAUSE)).isFalse());
        sim.runFor(Duration.ofMillis(10));
        Optional<Lease> barred = atB.readLock().tryAcquire();
        other("reader", atB.readLock(), SHORT);
        assertThat(barred).isEmpty();
        assertThat(order).isEmpty();
        writer.join();
        sim.runFor(SHORT);

        assertThat(order).containsExactly("reader");
        atA.readLock().unlock();
    }

    @Test
    void aTimedReaderThatJoinsThoseWhoWaitEndsInTime() {
        atB.writeLock().lock();
        other("waits", atA.readLock(), SHORT);
        sim.runFor(Duration.ofMillis(10));
        long before = sim.nanoTime();

        start("brief", () -> assertThat(atA.readLock().tryLock(PAUSE)).isFalse())
                .join();

        assertThat(Duration.ofNanos(sim.nanoTime() - before)).isEqualTo(PAUSE);
        atB.writeLock().unlock();
    }

    @Test
    void aTenureInDoubtIsNotJoined() {
        SimThread reader = other("reader", atA.readLock(), Duration.ofSeconds(3));
        sim.stepWallClock(Duration.ofSeconds(5));

        assertThat(inOther(() -> {
                    boolean got = atA.readLock().tryLock();
                    if (got) {
                        atA.readLock().unlock();
                    }
                    return got;
                }))
                .isTrue();
        reader.join();
    }

    @Test
    void readersWhoComeLaterJoinAsWell() {
        atA.readLock().lock();
        for (int i = 0; i < 5; i++) {
            sim.sleep(Duration.ofMillis(2_300));
            other("reader " + i, atA.readLock(), Duration.ofSeconds(20));
            assertThat(b.inspect("n").holders()).hasSize(1);
        }
        atA.readLock().unlock();
    }

    @Test
    void aSharedTenureIsRenewedForTheLongestLease() throws InterruptedException {
        LockOptions brief = LockOptions.defaults().withLease(Duration.ofSeconds(1));
        Lease first = a.readWriteLock("n", brief).readLock().acquire();
        Lease second = atA.readLock().acquire();
        Lease third = a.readWriteLock("n", brief).readLock().acquire();
        sim.sleep(Duration.ofSeconds(1));
        second.ensureValid(Duration.ofSeconds(15));
        sim.sleep(LONG);
        assertThat(second.remainingLease()).isGreaterThan(Duration.ofSeconds(15));

        third.close();
        second.close();
        first.close();
    }

    @Test
    void tokensRiseOverAWriterThatReadsOn() {
        atA.writeLock().lock();
        other("next", atA.writeLock(), SHORT);
        other("after", atA.writeLock(), SHORT);
        atA.writeLock().unlock();
        sim.runFor(SHORT.multipliedBy(5));
        List<SimThread> writers = new ArrayList<>();
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            writers.add(start("writer", () -> {
                atA.writeLock().lock();
                atA.readLock().lock();
                tokens.add(atA.writeLock().fencingToken());
                tokens.add(atA.readLock().fencingToken());
                atA.writeLock().unlock();
                atA.readLock().unlock();
            }));
        }
        writers.forEach(SimThread::join);

        assertThat(tokens).hasSize(8).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void whoReadsByALeaseIsRefusedToWaitForTheWriterThatWaitsForIt() throws InterruptedException {
        Lease mine = atA.readLock().acquire();
        atA.readLock().lock();
        atA.readLock().unlock();
        other("writer", atB.writeLock(), SHORT);
        sim.sleep(PAUSE);

        assertThatThrownBy(() -> atA.readLock().lock())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("would wait for itself");
        mine.close();
    }

    @Test
    void runOnceReadsBesideItsOwnWriting() {
        atA.writeLock().lock();
        assertThat(atA.readLock().runOnce(PAUSE, () -> order.add("ran"))).isTrue();
        assertThat(order).containsExactly("ran");
        atA.writeLock().unlock();
        sim.sleep(PAUSE.multipliedBy(2));
    }

    @Test
    void anInterruptedReaderOfSeveralLeavesTheOthersWaiting() {
        atB.writeLock().lock();
        SimThread interrupted = start(
                "interrupted",
                () -> assertThatThrownBy(() -> atA.readLock().lockInterruptibly())
                        .isInstanceOf(InterruptedException.class));
        sim.runFor(SHORT);
        other("stays", atA.readLock(), SHORT);
        interrupted.interrupt();
        interrupted.join();
        atB.writeLock().unlock();
        sim.runFor(PAUSE);
        assertThat(order).containsExactly("stays");
    }
}
