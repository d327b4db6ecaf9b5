package io.holdfast.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A release wakes those of the other kind who may come in then. */
class ReadWriteWakeUpTest extends SideBySide {

    private static final int HANDOVERS = 10;

    private static void report(String what, Kind kind, List<Duration> times) {
        Collections.sort(times);
        Duration median = times.get(times.size() / 2);
        System.out.printf(
                "%s by %s until the other runs: p50 %d us, longest %d us%n",
                what,
                kind,
                median.toNanos() / 1_000,
                times.get(times.size() - 1).toNanos() / 1_000);
        assertThat(median).isLessThan(SOON);
    }

    @ParameterizedTest
    @EnumSource
    void aWritersReleaseWakesAReader(Kind kind) {
        String name = name();
        report(
                "from a writer's release",
                kind,
                handovers(
                        writer(kind, name),
                        told(kind.other()).readWriteLock(name).readLock()));
    }

    @ParameterizedTest
    @EnumSource
    void theLastReadersReleaseWakesAWriter(Kind kind) {
        String name = name();
        report(
                "from a reader's release",
                kind,
                handovers(
                        reader(kind, name),
                        told(kind.other()).readWriteLock(name).writeLock()));
    }

    private List<Duration> handovers(Lock mine, Lock theirs) {
        List<Duration> times = new ArrayList<>();
        for (int i = 0; i < HANDOVERS; i++) {
            mine.lock();
            Waiter waiter = new Waiter(theirs).asleep();
            times.add(untilIn(waiter, mine));
            waiter.release();
        }
        return times;
    }

    private static Duration untilIn(Waiter waiter, Lock mine) {
        long released = System.nanoTime();
        mine.unlock();
        return Duration.ofNanos(waiter.gotAt() - released);
    }

    @Test
    void aWriterWhoReadsOnWakesAllReadersOfRedissons() {
        String name = name();
        Lock writes = writer(Kind.HOLDFAST, name);
        Lock reads = reader(Kind.HOLDFAST, name);
        List<Duration> times = new ArrayList<>();
        for (int i = 0; i < HANDOVERS; i++) {
            writes.lock();
            reads.lock();
            Waiter waiter = new Waiter(reader(Kind.REDISSON, name)).asleep();
            Waiter another = new Waiter(reader(Kind.REDISSON, name)).asleep();
            times.add(untilIn(waiter, writes));
            assertThat(another.gotAt() - waiter.gotAt()).isLessThan(SOON.toNanos());
            waiter.release();
            another.release();
            reads.unlock();
        }
        report("from the release of a writer who reads on", Kind.HOLDFAST, times);
    }

    /** Redisson says nothing then. */
    @Test
    void aWriterOfRedissonsWhoReadsOnIsFoundOutWithinAboutASecond() {
        String name = name();
        writer(Kind.REDISSON, name).lock();
        reader(Kind.REDISSON, name).lock();
        Waiter waiter = new Waiter(reader(Kind.HOLDFAST, name)).asleep();
        assertThat(untilIn(waiter, writer(Kind.REDISSON, name))).isLessThan(SOON);
        waiter.release();
        reader(Kind.REDISSON, name).unlock();
    }

    /** Two busy clients would hand the lock to each other for ever, or be in one after the other. */
    @ParameterizedTest
    @EnumSource
    void busyClientsOfOneKindLetTheOtherIn(Kind busy) {
        String name = name();
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger busyHolds = new AtomicInteger();
        List<CompletableFuture<Void>> work = new ArrayList<>();
        try (Kind.Client second = busy.connect(server.uri(), LEASE)) {
            for (Kind.Client client : List.of(client(busy), second)) {
                for (Lock lock : List.of(
                        client.readWriteLock(name).readLock(),
                        client.readWriteLock(name).writeLock())) {
                    work.add(start(() -> {
                        while (!stop.get()) {
                            holdBriefly(lock);
                            busyHolds.incrementAndGet();
                        }
                    }));
                }
            }
            Await.until("they are at work", () -> busyHolds.get() > 20);
            for (Lock lock : List.of(writer(busy.other(), name), reader(busy.other(), name))) {
                assertThat(longestWait(lock)).isLessThan(SOON);
            }
            System.out.printf("beside two busy clients of %s: %d holds of theirs%n", busy, busyHolds.get());
            stop.set(true);
            // a waiter of Redisson's misses the message that comes before it is parked; another release wakes it
            Await.until("they have ended", () -> {
                holdBriefly(writer(busy.other(), name));
                return work.stream().allMatch(CompletableFuture::isDone);
            });
            work.forEach(Await::reply);
        } finally {
            stop.set(true);
        }
    }

    private Duration longestWait(Lock lock) {
        long longest = 0;
        for (int i = 0; i < HANDOVERS; i++) {
            long asked = System.nanoTime();
            Waiter waiter = new Waiter(lock);
            longest = Math.max(longest, waiter.gotAt() - asked);
            waiter.release();
        }
        System.out.printf("%s: longest wait %d ms%n", lock.getClass().getSimpleName(), longest / 1_000_000);
        return Duration.ofNanos(longest);
    }

    private static void holdBriefly(Lock lock) {
        lock.lock();
        try {
            LockSupport.parkNanos(200_000);
        } finally {
            lock.unlock();
        }
    }
}
