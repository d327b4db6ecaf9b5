package io.holdfast.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The read/write locks of both: readers of both kinds read together, a writer keeps all off, and nobody's leaving harms others. */
class ReadWriteTest extends SideBySide {

    private static final Duration BRIEF = Duration.ofSeconds(2);

    private final Kind.Client second = Kind.HOLDFAST.connect(server.uri(), LEASE);

    @AfterAll
    void closeSecond() {
        second.close();
    }

    private boolean mayRead(Kind kind, String name) {
        return isFree(reader(kind, name));
    }

    private boolean nobodyMayWrite(String name) {
        return Stream.of(Kind.values()).noneMatch(kind -> isFree(writer(kind, name)));
    }

    private boolean allMayWrite(String name) {
        return Stream.of(Kind.values()).allMatch(kind -> isFree(writer(kind, name)));
    }

    // ---- exclusion

    @ParameterizedTest
    @EnumSource
    void readersAreInTogetherAndWhoLeavesTakesNobodyAlong(Kind kind) {
        String name = name();
        Lock mine = reader(kind, name);
        Lock theirs = reader(kind.other(), name);
        mine.lock();
        theirs.lock();
        assertThat(nobodyMayWrite(name)).isTrue();
        assertThat(mayRead(kind, name) && mayRead(kind.other(), name)).isTrue();
        mine.unlock();
        assertThat(nobodyMayWrite(name)).isTrue();
        mine.lock();
        theirs.unlock();
        assertThat(nobodyMayWrite(name)).isTrue();
        mine.unlock();
        assertThat(allMayWrite(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "a{b", "{x}y", "a}b", "{}x"})
    void aWriterKeepsAllOff(String lock) {
        String name = "rw " + lock;
        for (Kind kind : Kind.values()) {
            writer(kind, name).lock();
            assertThat(nobodyMayWrite(name)).isTrue();
            assertThat(mayRead(kind, name) || mayRead(kind.other(), name)).isFalse();
            writer(kind, name).unlock();
            assertThat(allMayWrite(name)).isTrue();
        }
    }

    /** Of Holdfast a tenure that its client's readers share, and one with a lease of its own; and one of another client. */
    @Test
    void oneOfSeveralReadersOfBothKindsTakesNobodyAlong() throws InterruptedException {
        String name = name();
        DistributedLock shared = (DistributedLock) reader(Kind.HOLDFAST, name);
        shared.lock();
        Lease own = shared.tryAcquire(Duration.ZERO, Duration.ofSeconds(20)).orElseThrow();
        Lock elsewhere = second.readWriteLock(name).readLock();
        elsewhere.lock();
        Waiter first = new Waiter(reader(Kind.REDISSON, name));
        Waiter last = new Waiter(reader(Kind.REDISSON, name));
        last.gotAt();
        List.<Runnable>of(first::release, own::close, shared::unlock, last::release)
                .forEach(leave -> {
                    leave.run();
                    assertThat(nobodyMayWrite(name)).isTrue();
                });
        elsewhere.unlock();
        assertThat(allMayWrite(name)).isTrue();
    }

    @Test
    void aReaderToWhomTheLockWasAssignedIsNotTakenAlong() {
        String name = name();
        Lock writes = second.readWriteLock(name).writeLock();
        writes.lock();
        Waiter assigned = new Waiter(reader(Kind.HOLDFAST, name)).asleep();
        writes.unlock();
        assigned.gotAt();
        isFree(reader(Kind.REDISSON, name));
        long end = System.nanoTime() + Duration.ofMillis(1_200).toNanos();
        Await.until("the claim window is over", () -> nobodyMayWrite(name) && System.nanoTime() - end > 0);
        assertThat(nobodyMayWrite(name)).isTrue();
        assigned.release();
    }

    // ---- re-entry

    @ParameterizedTest
    @EnumSource
    void itIsEnteredAgainWhileTheOtherWaits(Kind kind) {
        String name = name();
        Lock reads = reader(kind, name);
        Lock writes = writer(kind, name);
        writes.lock();
        Waiter waiter = new Waiter(writer(kind.other(), name)).asleep();
        writes.lock();
        writes.unlock();
        reads.lock();
        reads.lock();
        writes.unlock();
        assertThat(nobodyMayWrite(name)).isTrue();
        assertThat(waiter.hasIt()).isFalse();
        reads.unlock();
        assertThat(nobodyMayWrite(name)).isTrue();
        reads.unlock();
        waiter.release();
    }

    // ---- ends

    @ParameterizedTest
    @EnumSource
    void whenAWritersLeaseEndsTheOtherGetsIt(Kind kind) {
        String name = name();
        long before = System.nanoTime();
        elsewhere(() -> locked(writer(kind, name), BRIEF));
        Waiter waiter = new Waiter(reader(kind.other(), name));
        assertThat(Duration.ofNanos(waiter.gotAt() - before)).isBetween(BRIEF, SOON);
        waiter.release();
    }

    /** The dead one's lease is over long before that of the one who is left, with whom the key would last. */
    @ParameterizedTest
    @EnumSource
    void aDeadReaderIsNotKeptByOneOfTheOtherKind(Kind kind) {
        String name = name();
        Lock alive = reader(kind.other(), name);
        alive.lock();
        long before = System.nanoTime();
        elsewhere(() -> locked(reader(kind, name), BRIEF));
        long granted = System.nanoTime();
        Waiter waiter = new Waiter(writer(kind.other(), name)).asleep();
        // Redisson tells nobody of a lease that ends after its unlock has seen it
        Await.until("the lease is over", () -> System.nanoTime() - granted > BRIEF.toNanos());
        assertThat(waiter.hasIt()).isFalse();
        alive.unlock();
        assertThat(Duration.ofNanos(waiter.gotAt() - before)).isBetween(BRIEF, SOON);
        waiter.release();
    }

    private static boolean locked(Lock lock, Duration lease) {
        Kind.lock(lock, lease);
        return true;
    }

    @Test
    void aForcedReleaseOfHoldfastsLetsRedissonIn() {
        String name = name();
        Lock mine = reader(Kind.REDISSON, name);
        mine.lock();
        Waiter waiter = new Waiter(writer(Kind.REDISSON, name)).asleep();
        long before = System.nanoTime();
        Kind.forceUnlock(reader(Kind.HOLDFAST, name));
        assertThat(Duration.ofNanos(waiter.gotAt() - before)).isLessThan(SOON);
        waiter.release();
    }

    /** As the documentation says: Redisson sets the time to live of the key to its own, whatever it was. */
    @Test
    void aRenewalOfRedissonsCutsAReaderWhoseLeaseIsLonger() throws InterruptedException {
        String name = name();
        Lease lasting = ((DistributedLock) reader(Kind.HOLDFAST, name))
                .tryAcquire(Duration.ZERO, Duration.ofMinutes(1))
                .orElseThrow();
        Kind.Client brief = Kind.REDISSON.connect(server.uri(), Duration.ofSeconds(10));
        brief.readWriteLock(name).readLock().lock();
        assertThat(redis.pttl(name)).isGreaterThan(45_000);
        Await.until("it is renewed", () -> redis.pttl(name) <= 10_000);
        brief.close();
        Await.until("the key is gone", () -> redis.exists(name) == 0);
        assertThat(lasting.isValid()).isTrue();
        assertThatThrownBy(lasting::close).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void withoutTheOptionTheyExcludeEachOtherAsWell() {
        String name = name();
        try (Holdfast plain = Holdfast.connect(server.uri())) {
            Lock reads = plain.readWriteLock(name).readLock();
            reads.lock();
            CompletableFuture<Void> theirs = start(reader(Kind.REDISSON, name)::lock);
            Await.reply(theirs);
            reads.unlock();
            assertThat(isFree(plain.readWriteLock(name).writeLock())).isFalse();
            Kind.forceUnlock(reader(Kind.REDISSON, name));
            plain.readWriteLock(name).writeLock().lock();
            assertThat(mayRead(Kind.REDISSON, name)).isFalse();
            plain.readWriteLock(name).writeLock().unlock();
        }
        redis.keys("*rwlock_timeout*").forEach(redis::del);
    }
}
