package io.holdfast.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLatch;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LockListener;
import io.holdfast.LockOptions;
import io.holdfast.Permit;
import io.holdfast.StoreRefusedException;
import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.interop.Guide.Row;
import io.holdfast.recipes.LeaderElection;
import io.holdfast.recipes.Leadership;
import io.holdfast.recipes.MultiLock;
import io.holdfast.recipes.QuorumLock;
import io.holdfast.recipes.SegmentLease;
import io.holdfast.recipes.SegmentedLock;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;

/** What the guide says of each call of Redisson's, seen by a caller of the real one and of ours. */
class MigrationGuideTest extends BothLibraries {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Seen FINE = new Seen(Void.class, false);
    private static final Seen FINE_AND_INTERRUPTED = new Seen(Void.class, true);
    private static final Seen INTERRUPTED = new Seen(InterruptedException.class, false);
    private static final Class<?> NOT_OWNER = IllegalMonitorStateException.class;

    @Test
    void eachRowHasATestAndSaysWhatIsTested() {
        assertThat(Guide.tested(MigrationGuideTest.class)).isEqualTo(Guide.rows());
    }

    private Stream<Lock> locks() {
        return Stream.of(ours.lock(name()), theirs.getLock(name()));
    }

    private static void afterBrief() throws InterruptedException {
        Thread.sleep(BRIEF.plusMillis(100).toMillis());
    }

    private static void afterShort() throws InterruptedException {
        Thread.sleep(SHORT.multipliedBy(2).toMillis());
    }

    private long timeToLive(String name) {
        return redis.pttl(name);
    }

    private static boolean attempt(Lock lock) {
        boolean got = lock.tryLock();
        if (got) {
            lock.unlock();
        }
        return got;
    }

    /** A client that was itself paused may notice the end of a lease a little later. */
    private void assertFreeSoon(Lock lock) throws InterruptedException {
        if (!isFree(lock)) {
            Thread.sleep(SHORT.toMillis());
            assertThat(isFree(lock)).isTrue();
        }
    }

    private boolean isFree(Lock lock) {
        return elsewhere(() -> attempt(lock));
    }

    // ---- clients

    /** The ids of the connections of the clients whose name begins like that. */
    private Set<String> connections(String name) {
        return redis.clientList()
                .lines()
                .filter(line -> line.contains(" name=" + name))
                .map(line -> line.split(" ", 2)[0])
                .collect(Collectors.toSet());
    }

    @Test
    @Row(value = "`Redisson.create(config)`", differs = "one connection and an inbox, no pool")
    void clients() {
        Holdfast mine = Holdfast.builder().uri(server.uri()).name("mine").build();
        assertThat(connections("holdfast-mine")).hasSize(1);
        mine.close();
        Set<String> before = connections("");
        RedissonClient other = Kind.redisson(server.uri(), LEASE);
        // others may close idle connections meanwhile
        assertThat(connections("")).filteredOn(id -> !before.contains(id)).hasSizeGreaterThan(1);
        other.shutdown();
    }

    @Test
    @Row(value = "`redisson.getLock(name)`", differs = "no call to the server, in both")
    void aLockObjectCostsNoCall() {
        redis.configResetstat();
        locks().forEach(lock -> assertThat(lock).isNotNull());
        assertThat(redis.info("commandstats")).doesNotContain("cmdstat_eval");
    }

    // ---- locking

    @Test
    @Row(value = "`lock()`", differs = "an interrupt is kept, as the JDK says; Redisson may throw, or forget it")
    void lock() throws Exception {
        assertThat(interruptedBefore(ours.lock(name())::lock)).isEqualTo(FINE_AND_INTERRUPTED);
        assertThat(interruptedBefore(theirs.getLock(name())::lock)).isEqualTo(new Seen(RedisException.class, true));
        DistributedLock mine = ours.lock(name());
        mine.lock();
        assertThat(interruptedMeanwhile(mine::lock, mine::unlock)).isEqualTo(FINE_AND_INTERRUPTED);
        RLock other = theirs.getLock(name());
        other.lock();
        assertThat(interruptedMeanwhile(other::lock, other::unlock)).isEqualTo(FINE);
    }

    @Test
    @Row(
            value = "`lock(lease, unit)`",
            differs = "a lease below 100 ms is refused. Redisson renews a lease of zero or less: use the method"
                    + " without a lease for that")
    void lockForATime() throws Exception {
        List<Lock> locks = locks().toList();
        for (Lock lock : locks) {
            Kind.lock(lock, BRIEF);
            assertThat(isFree(lock)).isFalse();
        }
        afterBrief();
        for (Lock lock : locks) {
            assertFreeSoon(lock);
            assertThat(thrown(lock::unlock)).isAssignableTo(NOT_OWNER);
        }
        for (long lease : new long[] {-1, 0}) {
            String name = name();
            theirs.getLock(name).lock(lease, TimeUnit.MILLISECONDS);
            assertThat(timeToLive(name)).isGreaterThan(LEASE.toMillis() / 2);
        }
        for (long lease : new long[] {-1, 0, 99}) {
            assertThatThrownBy(() -> ours.lock(name()).lock(Duration.ofMillis(lease)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(thrown(() -> theirs.getLock(name()).lock(99, TimeUnit.MILLISECONDS)))
                .isEqualTo(Void.class);
    }

    @Test
    @Row(
            value = "`lockInterruptibly()`",
            differs = "a thread that is interrupted before the call gets `InterruptedException`; Redisson may"
                    + " throw `RedisException`")
    void lockInterruptibly() throws Exception {
        for (Lock lock : locks().toList()) {
            lock.lock();
            assertThat(interruptedMeanwhile(lock::lockInterruptibly, lock::unlock))
                    .isEqualTo(INTERRUPTED);
        }
        assertThat(interruptedBefore(ours.lock(name())::lockInterruptibly)).isEqualTo(INTERRUPTED);
        assertThat(interruptedBefore(theirs.getLock(name())::lockInterruptibly).thrown())
                .isEqualTo(RedisException.class);
    }

    @Test
    @Row(
            value = "`tryLock()`",
            differs = "false means held by another, and a failure throws, in both; an interrupt is kept, where Redisson"
                    + " may throw")
    void tryLock() {
        locks().forEach(lock -> {
            assertThat(lock.tryLock()).isTrue();
            assertThat(lock.tryLock()).isTrue();
            assertThat(isFree(lock)).isFalse();
            lock.unlock();
            assertThat(isFree(lock)).isFalse();
            lock.unlock();
            assertThat(isFree(lock)).isTrue();
        });
        assertThat(interruptedBefore(() -> attempt(ours.lock(name())))).isEqualTo(FINE_AND_INTERRUPTED);
        assertThat(interruptedBefore(() -> attempt(theirs.getLock(name()))).thrown())
                .isEqualTo(RedisException.class);
        try (RedisServer gone = RedisServer.start();
                Holdfast mine = Holdfast.connect(gone.uri())) {
            RedissonClient other = Kind.redisson(gone.uri(), LEASE);
            gone.kill();
            assertThatThrownBy(() -> attempt(mine.lock("n"))).isInstanceOf(RuntimeException.class);
            assertThatThrownBy(() -> attempt(other.getLock("n"))).isInstanceOf(RuntimeException.class);
            other.shutdown();
        }
    }

    @Test
    @Row(
            value = "`tryLock(wait, unit)`",
            differs = "a thread that is interrupted before the call gets `InterruptedException`; Redisson may"
                    + " throw `RedisException`")
    void tryLockWithAWait() throws Exception {
        for (Lock lock : locks().toList()) {
            for (long wait : new long[] {-1, 0, Long.MAX_VALUE}) {
                assertThat(lock.tryLock(wait, TimeUnit.DAYS)).isTrue();
            }
            for (long wait : new long[] {-1, 0, SHORT.toMillis()}) {
                assertThat(elsewhere(() -> lock.tryLock(wait, TimeUnit.MILLISECONDS)))
                        .isFalse();
            }
            assertThat(interruptedMeanwhile(() -> lock.tryLock(1, TimeUnit.MINUTES), lock::unlock))
                    .isEqualTo(INTERRUPTED);
        }
        assertThat(interruptedBefore(() -> ours.lock(name()).tryLock(1, TimeUnit.SECONDS)))
                .isEqualTo(INTERRUPTED);
        assertThat(interruptedBefore(() -> theirs.getLock(name()).tryLock(1, TimeUnit.SECONDS))
                        .thrown())
                .isEqualTo(RedisException.class);
    }

    @Test
    @Row(
            value = "`tryLock(wait, lease, unit)`",
            differs = "a lease below 100 ms is refused. Redisson renews a lease of zero or less: use"
                    + " `tryLock(Duration)` for that")
    void tryLockForATime() throws Exception {
        DistributedLock mine = ours.lock(name());
        RLock other = theirs.getLock(name());
        assertThat(mine.tryLock(0, BRIEF.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
        assertThat(isFree(mine)).isFalse();
        assertThat(other.tryLock(0, BRIEF.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
        assertThat(isFree(other)).isFalse();
        afterBrief();
        assertFreeSoon(mine);
        assertFreeSoon(other);
        for (long lease : new long[] {-1, 0, 99}) {
            assertThatThrownBy(() -> ours.lock(name()).tryLock(0, lease, TimeUnit.MILLISECONDS))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(theirs.getLock(name()).tryLock(0, lease, TimeUnit.MILLISECONDS))
                    .isTrue();
        }
        String name = name();
        assertThat(theirs.getLock(name).tryLock(0, -1, TimeUnit.MILLISECONDS)).isTrue();
        assertThat(timeToLive(name)).isGreaterThan(LEASE.toMillis() / 2);
    }

    @Test
    @Row(
            value = "`unlock()`",
            differs = "`LeaseLostException` if the hold was lost; it is an `IllegalMonitorStateException`")
    void unlock() throws Exception {
        locks().forEach(lock -> assertThat(thrown(lock::unlock)).isEqualTo(NOT_OWNER));
        List<Lock> locks = locks().toList();
        locks.forEach(lock -> Kind.lock(lock, BRIEF));
        afterBrief();
        List<Class<?>> thrown = new ArrayList<>();
        locks.forEach(lock -> thrown.add(thrown(lock::unlock)));
        assertThat(thrown).containsExactly(LeaseLostException.class, NOT_OWNER);
        assertThat(LeaseLostException.class).isAssignableTo(NOT_OWNER);
    }

    @Test
    @Row(
            value = "`forceUnlock()`",
            differs = "the owner is notified. Called on either half of a read/write lock, it frees the name for"
                    + " readers and writers alike")
    void forceUnlock() {
        DistributedLock mine = ours.lock(name());
        RLock other = theirs.getLock(name());
        assertThat(List.of(mine.forceUnlock(), other.forceUnlock())).containsOnly(false);
        mine.lock();
        other.lock();
        assertThat(elsewhere(mine::forceUnlock)).isTrue();
        assertThat(elsewhere(other::forceUnlock)).isTrue();
        Await.until("the owner is told", () -> !mine.isValid());
        assertThat(isFree(mine)).isTrue();
        assertThat(isFree(other)).isTrue();
        assertThat(thrown(mine::unlock)).isEqualTo(LeaseLostException.class);
        assertThat(thrown(other::unlock)).isEqualTo(NOT_OWNER);
        DistributedReadWriteLock both = ours.readWriteLock(name());
        both.readLock().lock();
        assertThat(both.writeLock().forceUnlock()).isTrue();
        assertThat(thrown(both.readLock()::unlock)).isEqualTo(LeaseLostException.class);
        RReadWriteLock halves = theirs.getReadWriteLock(name());
        halves.readLock().lock();
        assertThat(halves.writeLock().forceUnlock()).isFalse();
        assertThat(halves.readLock().forceUnlock()).isTrue();
    }

    // ---- questions

    @Test
    @Row(
            value = "`isLocked()`",
            differs = "called on either half of a read/write lock, it is true if anybody reads or writes")
    void isLocked() {
        DistributedLock mine = ours.lock(name());
        RLock other = theirs.getLock(name());
        assertThat(List.of(mine.isLocked(), other.isLocked())).containsOnly(false);
        mine.lock();
        other.lock();
        assertThat(List.of(elsewhere(mine::isLocked), elsewhere(other::isLocked)))
                .containsOnly(true);
        mine.unlock();
        other.unlock();
        DistributedReadWriteLock both = ours.readWriteLock(name());
        both.readLock().lock();
        assertThat(both.readLock().isLocked()).isTrue();
        assertThat(both.writeLock().isLocked()).isTrue();
        both.readLock().unlock();
        RReadWriteLock halves = theirs.getReadWriteLock(name());
        halves.readLock().lock();
        assertThat(halves.readLock().isLocked()).isTrue();
        assertThat(halves.writeLock().isLocked()).isFalse();
        halves.readLock().unlock();
    }

    @Test
    @Row(
            value = "`isHeldByCurrentThread()`",
            differs = "no call to the server; stays true after a loss, until the thread unlocks; `isValid()`"
                    + " turns false at the deadline")
    void isHeldByCurrentThread() throws Exception {
        DistributedLock mine = ours.lock(name());
        RLock other = theirs.getLock(name());
        mine.lock(BRIEF);
        other.lock(BRIEF.toMillis(), TimeUnit.MILLISECONDS);
        assertThat(List.of(mine.isHeldByCurrentThread(), other.isHeldByCurrentThread()))
                .containsOnly(true);
        assertThat(List.of(elsewhere(mine::isHeldByCurrentThread), elsewhere(other::isHeldByCurrentThread)))
                .containsOnly(false);
        afterBrief();
        assertThat(other.isHeldByCurrentThread()).isFalse();
        assertThat(mine.isHeldByCurrentThread()).isTrue();
        assertThat(mine.isValid()).isFalse();
        assertThat(thrown(mine::unlock)).isEqualTo(LeaseLostException.class);
        assertThat(mine.isHeldByCurrentThread()).isFalse();
    }

    @Test
    @Row(
            value = "`getHoldCount()`",
            differs = "no call to the server; unchanged when the hold is lost, until the thread unlocks")
    void holdCount() throws Exception {
        DistributedLock mine = ours.lock(name());
        RLock other = theirs.getLock(name());
        for (int count = 0; count < 3; count++) {
            assertThat(List.of(mine.holdCount(), other.getHoldCount())).containsOnly(count);
            mine.lock(BRIEF);
            other.lock(BRIEF.toMillis(), TimeUnit.MILLISECONDS);
        }
        afterBrief();
        assertThat(other.getHoldCount()).isZero();
        assertThat(mine.holdCount()).isEqualTo(3);
        for (int count = 3; count > 0; count--) {
            assertThat(thrown(mine::unlock)).isEqualTo(LeaseLostException.class);
        }
        assertThat(mine.holdCount()).isZero();
    }

    @Test
    @Row(
            value = "`remainTimeToLive()`",
            differs = "for the thread's own hold, from its deadline; other threads get `IllegalMonitorStateException`")
    void remainingLease() {
        DistributedLock mine = ours.lock(name());
        RLock other = theirs.getLock(name());
        assertThat(other.remainTimeToLive()).isNegative();
        assertThat(thrown(mine::remainingLease)).isEqualTo(NOT_OWNER);
        mine.lock();
        other.lock();
        assertThat(mine.remainingLease()).isBetween(LEASE.dividedBy(2), LEASE);
        assertThat(other.remainTimeToLive()).isBetween(LEASE.toMillis() / 2, LEASE.toMillis());
        assertThat(elsewhere(other::remainTimeToLive)).isPositive();
        assertThat(elsewhere(() -> thrown(mine::remainingLease))).isEqualTo(NOT_OWNER);
        mine.unlock();
        other.unlock();
    }

    @Test
    @Row(value = "`getFencedLock(name).lockAndGetToken()`", differs = "every lock has tokens")
    void tokens() {
        DistributedLock mine = ours.lock(name());
        RFencedLock other = theirs.getFencedLock(name());
        long first = tokenOf(mine);
        assertThat(tokenOf(mine)).isGreaterThan(first);
        long theirFirst = other.lockAndGetToken();
        other.unlock();
        assertThat(other.lockAndGetToken()).isGreaterThan(theirFirst);
        other.unlock();
    }

    private static long tokenOf(DistributedLock lock) {
        lock.lock();
        try {
            return lock.fencingToken();
        } finally {
            lock.unlock();
        }
    }

    // ---- other locks

    @Test
    @Row(
            value = "`redisson.getFairLock(name)`",
            differs = "a dead waiter costs the others a second at most, not minutes; the order is that of"
                    + " arrival by the server's clock")
    void fairLocks() throws Exception {
        for (Lock lock : List.of(ours.fairLock(name()), theirs.getFairLock(name()))) {
            IntSupplier waiting = lock instanceof DistributedLock mine
                    ? () -> ours.inspect(mine.name()).waiters().size()
                    : () -> redis.llen("redisson_lock_queue:{" + ((RLock) lock).getName() + "}")
                            .intValue();
            List<Integer> order = new CopyOnWriteArrayList<>();
            lock.lock();
            List<Future<?>> waiters = new ArrayList<>();
            for (int number = 0; number < 3; number++) {
                int mine = number;
                waiters.add(start(() -> {
                    lock.lock();
                    order.add(mine);
                    lock.unlock();
                    return null;
                }));
                Await.until("it waits", () -> waiting.getAsInt() == mine + 1);
            }
            lock.unlock();
            waiters.forEach(BothLibraries::result);
            assertThat(order).containsExactly(0, 1, 2);
        }
    }

    @Test
    @Row(
            value = "`redisson.getReadWriteLock(name)`",
            differs = "changing from reading to writing is refused, instead of a self-deadlock; no reader barges"
                    + " ahead of a waiting writer")
    void readWriteLocks() throws Exception {
        DistributedReadWriteLock mine = ours.readWriteLock(name());
        RReadWriteLock other = theirs.getReadWriteLock(name());
        mine.readLock().lock();
        other.readLock().lock();
        assertThat(thrown(mine.writeLock()::lock)).isEqualTo(IllegalStateException.class);
        assertThat(mine.writeLock().tryLock()).isFalse();
        assertThat(other.writeLock().tryLock(SHORT.toMillis(), TimeUnit.MILLISECONDS))
                .isFalse();
        String name = mine.readLock().name();
        assertThat(readsBesideAWaitingWriter(
                        mine.readLock(),
                        mine.writeLock(),
                        () -> !ours.inspect(name).waiters().isEmpty()))
                .isFalse();
        assertThat(readsBesideAWaitingWriter(other.readLock(), other.writeLock(), () -> true))
                .isTrue();
    }

    /** Whether a reader comes in after a writer that waits for this thread, which reads. */
    private boolean readsBesideAWaitingWriter(Lock reader, Lock writer, BooleanSupplier waits) throws Exception {
        Future<?> waiting = start(() -> {
            writer.lock();
            writer.unlock();
            return null;
        });
        afterShort();
        Await.until("the writer waits", waits);
        boolean reads = isFree(reader);
        reader.unlock();
        result(waiting);
        return reads;
    }

    @Test
    @Row(value = "`redisson.getSpinLock(name)`", differs = "waiters are notified, and do not poll")
    void spinLocks() throws Exception {
        String name = name();
        try (Holdfast other = Holdfast.connect(server.uri())) {
            handOver(ours.lock(name), other.lock(name), () -> {
                Await.until("it waits", () -> waitersOf(name) == 1);
                assertThat(redis.pubsubChannels("*" + name)).isEmpty();
                return null;
            });
        }
        handOver(theirs.getSpinLock(name), theirs.getSpinLock(name), () -> {
            afterShort();
            assertThat(waitersOf(name)).isZero();
            assertThat(redis.pubsubChannels("*" + name)).isEmpty();
            return null;
        });
    }

    private int waitersOf(String name) {
        return ours.inspect(name).waiters().size();
    }

    /** Checks something while an owner waits for the lock of another one, who then unlocks it. */
    private void handOver(Lock held, Lock wanted, Callable<Void> check) throws Exception {
        held.lock();
        Future<Boolean> waiting = start(() -> wanted.tryLock(10, TimeUnit.SECONDS));
        check.call();
        held.unlock();
        assertThat(result(waiting)).isTrue();
    }

    @Test
    @Row(
            value = "`getNonReentrantLock(name)`",
            differs = "locking again throws in both, in Holdfast an `IllegalStateException`")
    void nonReentrantLocks() {
        DistributedLock mine = ours.lock(name(), LockOptions.defaults().withReentrant(false));
        RLock other = theirs.getNonReentrantLock(name());
        mine.lock();
        other.lock();
        assertThat(thrown(mine::lock)).isEqualTo(IllegalStateException.class);
        assertThat(thrown(mine::tryLock)).isEqualTo(IllegalStateException.class);
        assertThat(thrown(other::lock)).isEqualTo(NOT_OWNER);
        assertThat(thrown(other::tryLock)).isEqualTo(NOT_OWNER);
        mine.unlock();
        other.unlock();
    }

    @Test
    @Row(
            value = "`redisson.getMultiLock(a, b)`",
            differs = "members are acquired in one order everywhere, however they are given; one wait for all")
    void multiLocks() {
        String first = name();
        String second = name();
        MultiLock mine = MultiLock.of(ours.lock(second), ours.lock(first));
        RLock other = theirs.getMultiLock(theirs.getLock(first), theirs.getLock(second));
        assertThat(mine.members()).extracting(DistributedLock::name).containsExactly(first, second);
        mine.lock();
        assertThat(isFree(other)).isFalse();
        mine.unlock();
        other.lock();
        assertThat(elsewhere(() -> mine.tryLock())).isFalse();
        other.unlock();
    }

    @Test
    @Row(
            value = "`redisson.getRedLock(a, b, c)`",
            differs = "asks all at once, adds missing servers later, and has a token that rises over majorities")
    void quorumLocks() {
        try (RedisServer second = RedisServer.start();
                RedisServer third = RedisServer.start();
                Holdfast b = Holdfast.connect(second.uri());
                Holdfast c = Holdfast.connect(third.uri())) {
            QuorumLock lock = QuorumLock.of(List.of(ours, b, c), name());
            lock.lock();
            long token = lock.fencingToken();
            lock.unlock();
            third.pause();
            lock.lock();
            assertThat(lock.heldAt()).isEqualTo(2);
            assertThat(lock.fencingToken()).isGreaterThan(token);
            third.resume();
            Await.until("the third server has it", () -> lock.heldAt() == 3);
            lock.unlock();
        }
    }

    @Test
    @Row(value = "n locks for one hot resource, by hand", differs = "acquires any segment that is free")
    void segmentedLocks() {
        SegmentedLock lock = SegmentedLock.of(ours, name(), 2);
        SegmentLease one = lock.tryAcquireAny().orElseThrow();
        SegmentLease other = lock.tryAcquireAny().orElseThrow();
        assertThat(lock.tryAcquireAny()).isEmpty();
        one.close();
        other.close();
    }

    @Test
    @Row(
            value = "a lock that is never released, as leader",
            differs = "notified when it begins and ends; others can watch")
    void leaders() {
        String name = name();
        List<Boolean> watched = new CopyOnWriteArrayList<>();
        List<Leadership.End> ends = new CopyOnWriteArrayList<>();
        LeaderElection.Watch watch =
                LeaderElection.of(ours, name).watch(Duration.ofMillis(100), leader -> watched.add(leader.isPresent()));
        Leadership leadership = LeaderElection.of(ours, name).tryCampaign().orElseThrow();
        leadership.onEnd(ends::add);
        Await.until("the leader is seen", () -> watched.contains(true));
        assertThat(ours.lock(name).forceUnlock()).isTrue();
        Await.until("the leader is told", () -> !ends.isEmpty());
        assertThat(ends).singleElement().isInstanceOf(Leadership.End.Lost.class);
        watch.close();
    }

    @Test
    @Row(
            value = "`tryLock(0, lease, unit)` without an unlock, in a scheduler",
            differs = "renewed while the job runs, kept until the time is up")
    void schedulers() throws Exception {
        DistributedLock mine = ours.lock(name());
        RLock other = theirs.getLock(name());
        AtomicBoolean free = new AtomicBoolean(true);
        assertThat(mine.runOnce(SHORT, () -> {
                    Await.reply(CompletableFuture.runAsync(
                            () -> {}, CompletableFuture.delayedExecutor(SHORT.toMillis() * 3, TimeUnit.MILLISECONDS)));
                    free.set(isFree(mine));
                }))
                .isTrue();
        assertThat(free).isFalse();
        assertThat(isFree(mine)).isTrue();
        assertThat(mine.runOnce(BRIEF, () -> {})).isTrue();
        assertThat(other.tryLock(0, BRIEF.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
        assertThat(List.of(isFree(mine), isFree(other))).containsOnly(false);
        afterBrief();
        assertThat(List.of(isFree(mine), isFree(other))).containsOnly(true);
    }

    @Test
    @Row(value = "`lock()`, `try`, `finally`, `unlock()`", differs = "a loss that the body did not notice is thrown")
    void bodies() {
        DistributedLock lock = ours.lock(name());
        assertThatThrownBy(() -> lock.run(() -> assertThat(lock.forceUnlock()).isTrue()))
                .isInstanceOf(LeaseLostException.class);
        assertThat(isFree(lock)).isTrue();
    }

    @Test
    @Row(value = "watchdog time of one lock", differs = "for that lock only")
    void leaseOfOneLock() {
        String name = name();
        DistributedLock longer = ours.lock(name, LockOptions.defaults().withLease(LEASE.multipliedBy(2)));
        longer.lock();
        assertThat(timeToLive(name)).isGreaterThan(LEASE.toMillis());
        longer.unlock();
        ours.lock(name).lock();
        assertThat(timeToLive(name)).isLessThanOrEqualTo(LEASE.toMillis());
        ours.lock(name).unlock();
    }

    @Test
    @Row(value = "-", differs = "a stuck owner is reported, or asked to stop")
    void stuckOwners() {
        DistributedLock lock = ours.lock(name(), LockOptions.defaults().withMaxHold(SHORT));
        List<LockEvent> events = new CopyOnWriteArrayList<>();
        LockListener listener = events::add;
        ours.addListener(listener);
        lock.lock();
        Await.until("it is reported", () -> events.stream().anyMatch(LockEvent.HeldTooLong.class::isInstance));
        lock.unlock();
        ours.removeListener(listener);
    }

    // ---- semaphores and latches

    @Test
    @Row(
            value = "`redisson.getSemaphore(name)`",
            differs = "a permit is a lease, so a crash frees it; `release()` is `Permit.close()`, and works once")
    void semaphores() {
        DistributedSemaphore mine = ours.semaphore(name());
        RSemaphore other = theirs.getSemaphore(name());
        assertThat(List.of(mine.trySetPermits(2), other.trySetPermits(2))).containsOnly(true);
        Permit permit = mine.tryAcquire().orElseThrow();
        assertThat(other.tryAcquire()).isTrue();
        assertThat(List.of(mine.available(), other.availablePermits())).containsOnly(1);
        permit.close();
        permit.close();
        other.release();
        other.release();
        assertThat(mine.available()).isEqualTo(2);
        assertThat(other.availablePermits()).isEqualTo(3);
        Holdfast crashing = Holdfast.builder().uri(server.uri()).lease(BRIEF).build();
        assertThat(crashing.semaphore(mine.name()).tryAcquire(1)).isPresent();
        crashing.close();
        assertThat(mine.available()).isEqualTo(2);
    }

    @Test
    @Row(
            value = "`trySetPermits(n)`, `addPermits(n)`, `drainPermits()`",
            differs = "drained permits are one lease; an acquire or `addPermits` before the number was set is an error")
    void numbersOfPermits() {
        DistributedSemaphore mine = ours.semaphore(name());
        RSemaphore other = theirs.getSemaphore(name());
        assertThat(thrown(mine::tryAcquire)).isEqualTo(StoreRefusedException.class);
        assertThat(thrown(() -> mine.addPermits(1))).isEqualTo(StoreRefusedException.class);
        assertThat(other.tryAcquire()).isFalse();
        assertThat(List.of(mine.trySetPermits(3), other.trySetPermits(3))).containsOnly(true);
        assertThat(List.of(mine.trySetPermits(4), other.trySetPermits(4))).containsOnly(false);
        mine.addPermits(2);
        other.addPermits(2);
        assertThat(List.of(mine.available(), other.availablePermits())).containsOnly(5);
        Permit drained = mine.drain().orElseThrow();
        assertThat(List.of(drained.count(), other.drainPermits())).containsOnly(5);
        assertThat(List.of(mine.available(), other.availablePermits())).containsOnly(0);
        drained.close();
        assertThat(mine.available()).isEqualTo(5);
        RSemaphore unset = theirs.getSemaphore(name());
        unset.addPermits(1);
        assertThat(unset.availablePermits()).isEqualTo(1);
    }

    @Test
    @Row(
            value = "`redisson.getPermitExpirableSemaphore(name)`",
            differs = "a permit is renewed unless a lease is given; leases end by the server's clock;"
                    + " `release(id)` notifies the holder")
    void permitsThatExpire() throws Exception {
        DistributedSemaphore mine = ours.semaphore(name());
        RPermitExpirableSemaphore other = theirs.getPermitExpirableSemaphore(name());
        assertThat(List.of(mine.trySetPermits(1), other.trySetPermits(1))).containsOnly(true);
        List<LeaseLostException> losses = new CopyOnWriteArrayList<>();
        Permit held = mine.acquire().onLost(losses::add);
        String id = other.acquire();
        mine.release(held.id());
        other.release(id);
        assertThat(List.of(mine.available(), other.availablePermits())).containsOnly(1);
        Await.until("the holder is told", () -> !losses.isEmpty());
        assertThat(thrown(() -> mine.release(held.id()))).isEqualTo(NOT_OWNER);
        assertThat(thrown(() -> other.release(id))).isNotEqualTo(Void.class);
        assertThat(mine.tryAcquire(1, Duration.ZERO, BRIEF)).isPresent();
        assertThat(other.tryAcquire(0, BRIEF.toMillis(), TimeUnit.MILLISECONDS)).isNotNull();
        afterBrief();
        assertThat(List.of(mine.available(), other.availablePermits())).containsOnly(1);
    }

    @Test
    @Row(
            value = "`redisson.getCountDownLatch(name)`",
            differs = "the latch stays open, and may have a time to live; a repeated request counts once; `delete()`"
                    + " ends waits with an error; waiting for a latch that is not set is an error")
    void latches() throws Exception {
        DistributedLatch mine = ours.countDownLatch(name());
        RCountDownLatch other = theirs.getCountDownLatch(name());
        assertThat(thrown(() -> mine.await(BRIEF))).isEqualTo(IllegalStateException.class);
        assertThat(thrown(mine::countDown)).isEqualTo(IllegalStateException.class);
        assertThat(other.await(1, TimeUnit.MILLISECONDS)).isTrue();
        assertThat(thrown(other::countDown)).isEqualTo(Void.class);
        assertThat(List.of(mine.trySetCount(1), other.trySetCount(1))).containsOnly(true);
        assertThat(List.of(mine.trySetCount(1), other.trySetCount(1))).containsOnly(false);
        assertThat(List.of(mine.await(SHORT), other.await(SHORT.toMillis(), TimeUnit.MILLISECONDS)))
                .containsOnly(false);
        mine.countDown();
        other.countDown();
        assertThat(List.of(mine.count(), (int) other.getCount())).containsOnly(0);
        assertThat(List.of(mine.await(BRIEF), other.await(BRIEF.toMillis(), TimeUnit.MILLISECONDS)))
                .containsOnly(true);
        assertThat(List.of(mine.trySetCount(1), other.trySetCount(1))).containsExactly(false, true);
        DistributedLatch deleted = ours.countDownLatch(name());
        assertThat(deleted.trySetCount(1, LEASE)).isTrue();
        Future<Class<?>> waiting = start(() -> thrown(() -> deleted.await(LEASE)));
        afterShort();
        assertThat(deleted.delete()).isTrue();
        assertThat(result(waiting)).isEqualTo(IllegalStateException.class);
    }

    // ---- what is not a thread's

    @Test
    @Row(
            value = "`lockAsync()`, `tryLockAsync(..)`",
            differs = "a `Lease`, bound to no thread; canceling withdraws the request")
    void futures() throws Exception {
        DistributedLock lock = ours.lock(name());
        Lease first = Await.reply(lock.async().acquire());
        CompletableFuture<Lease> withdrawn = lock.async().acquire();
        assertThatThrownBy(() -> withdrawn.get(SHORT.toMillis(), TimeUnit.MILLISECONDS))
                .isInstanceOf(TimeoutException.class);
        assertThat(withdrawn.cancel(false)).isTrue();
        elsewhere(() -> {
            first.close();
            return first;
        });
        assertThat(isFree(lock)).isTrue();
        RLock other = theirs.getLock(name());
        other.lockAsync().get(5, TimeUnit.SECONDS);
        assertThat(elsewhere(() -> thrown(other::unlock))).isEqualTo(NOT_OWNER);
        other.unlock();
    }

    @Test
    @Row(value = "`lock(threadId)` forms, for owners that are no threads", differs = "a `Lease`")
    void ownersThatAreNoThreads() throws Exception {
        DistributedLock lock = ours.lock(name());
        Lease lease = lock.acquire();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.tryAcquire()).isEmpty();
        lease.close();
        RLock other = theirs.getLock(name());
        other.lockAsync(7).get(5, TimeUnit.SECONDS);
        assertThat(other.isHeldByCurrentThread()).isFalse();
        other.unlockAsync(7).get(5, TimeUnit.SECONDS);
    }

    @Test
    @Row(
            value = "`isHeldByThread(id)`",
            differs = "owners are not asked for by number; `holder()` reports who holds the lock")
    void ownersAreNotAskedForByNumber() {
        assertThat(Stream.of(DistributedLock.class.getMethods()).map(method -> method.getName()))
                .contains("isHeldByCurrentThread")
                .doesNotContain("isHeldByThread");
    }

    @Test
    @Row(value = "`newCondition()`", differs = "throws, in both")
    void conditions() {
        locks().forEach(lock -> assertThat(thrown(lock::newCondition)).isEqualTo(UnsupportedOperationException.class));
    }

    @Test
    @Row(value = "`addListener(..)` for expired keys", differs = "events of the client, without keyspace notifications")
    void listeners() throws Exception {
        assertThat(redis.configGet("notify-keyspace-events")).isEqualTo(Map.of("notify-keyspace-events", ""));
        List<LockEvent> events = new CopyOnWriteArrayList<>();
        LockListener listener = events::add;
        ours.addListener(listener);
        Optional<Lease> lease = ours.lock(name()).tryAcquire(Duration.ZERO, BRIEF);
        Await.until("its end is told", () -> events.stream().anyMatch(LockEvent.Lost.class::isInstance));
        assertThat(thrown(lease.orElseThrow()::close)).isEqualTo(LeaseLostException.class);
        ours.removeListener(listener);
    }
}
