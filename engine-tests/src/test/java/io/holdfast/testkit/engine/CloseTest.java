package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.recipes.LeaderElection;
import io.holdfast.recipes.MultiLock;
import io.holdfast.recipes.SegmentedLock;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the close of a client ends, and what its owners are told then. */
@Tag("everywhere")
class CloseTest extends VirtualTime {

    private static final Duration SHORT = Duration.ofMillis(100);

    private final ScarcePlatform platform = new ScarcePlatform(sim);
    private final Holdfast c = client("c", options -> options.platform(platform).provider(provider(server::open)));
    private final DistributedLock lock = c.lock("n");

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
    }

    // ---- what is under way

    private void closeEnds(Operation operation, Class<?> by, SimThread.Body question) {
        faults(c).holdReply(operation);
        SimThread asking = start(
                "asking",
                () -> assertThatThrownBy(question::run)
                        .isInstanceOf(by)
                        .hasMessageContaining("client c ")
                        .hasMessageContaining("closed"));
        sim.runFor(SHORT);
        assertThat(asking.done()).isFalse();
        c.close();
        sim.runUntil(asking::done, SHORT);
        asking.join();
    }

    @Test
    void aQuestionForTheHolderEnds() {
        closeEnds(Operation.INSPECT, IllegalStateException.class, lock::holder);
    }

    @Test
    void aListEnds() {
        closeEnds(Operation.LIST, IllegalStateException.class, () -> c.list(""));
    }

    @Test
    void aForcedReleaseEndsAndMayHaveBeenMade() {
        closeEnds(Operation.FORCE_RELEASE, IndeterminateLockException.class, lock::forceUnlock);
    }

    @Test
    void aCountEnds() {
        closeEnds(Operation.COUNT, IllegalStateException.class, c.countDownLatch("l")::count);
    }

    @Test
    void aQuestionForPermitsEnds() {
        closeEnds(Operation.COUNT, IllegalStateException.class, c.semaphore("s")::available);
    }

    @Test
    void aPermitThatIsTakenAwayEndsAndMayBeTaken() {
        b.semaphore("s").trySetPermits(1);
        String id = b.semaphore("s").tryAcquire().orElseThrow().id();
        closeEnds(
                Operation.REVOKE,
                IndeterminateLockException.class,
                () -> c.semaphore("s").release(id));
        b.semaphore("s").delete();
    }

    @Test
    void aChangeEndsAndMayHaveBeenMade() {
        b.countDownLatch("l").trySetCount(1);
        closeEnds(Operation.CHANGE, IndeterminateLockException.class, c.countDownLatch("l")::countDown);
        b.countDownLatch("l").delete();
    }

    @Test
    void aChangeThatIsToBeSentAgainEndsAndMayHaveBeenMade() {
        b.semaphore("s").trySetPermits(1);
        faults(c).probability(Fault.FAIL_AFTER, 1);
        SimThread asking = start(
                "asking",
                () -> assertThatThrownBy(() -> c.semaphore("s").addPermits(1))
                        .isInstanceOf(IndeterminateLockException.class)
                        .hasMessageContaining("outcome unknown: it may have been changed"));
        sim.runFor(SHORT);
        assertThat(asking.done()).isFalse();
        c.close();
        sim.runUntil(asking::done, SHORT);
        asking.join();
        b.semaphore("s").delete();
    }

    @Test
    void aChangeThatReachedNoServerEnds() {
        faults(c).outage(true);
        closeEnds(Operation.SIGNAL, IllegalStateException.class, c.countDownLatch("l")::countDown);
    }

    @Test
    void aCallThatComesJustAfterTheCloseFailsAtOnce() {
        faults(c).holdReply(Operation.INSPECT);
        platform.within("Calls.start", c::close);
        long began = sim.nanoTime();
        assertThatThrownBy(lock::holder)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("client c is closed");
        assertThat(sim.nanoTime() - began).isLessThan(SHORT.toNanos());
    }

    // ---- what is held

    private final Map<String, ThrowingCallable> ends = new LinkedHashMap<>();

    private void assertAllSayThatTheClientWasClosed() {
        c.close();
        ends.forEach((what, end) -> assertThatThrownBy(end)
                .as(what)
                .isExactlyInstanceOf(IllegalStateException.class)
                .hasMessageContaining("client c was closed, which released"));
        assertThat(b.lock("n").tryLock()).isTrue();
        b.lock("n").unlock();
    }

    @Test
    void whoeverUnlocksAfterwardsIsToldThatTheClientWasClosed() {
        lock.lock();
        ends.put("unlock", lock::unlock);
        ends.put("token", lock::fencingToken);
        ends.put("lease left", lock::remainingLease);
        DistributedLock fair = c.fairLock("fair");
        fair.lock();
        ends.put("fair", fair::unlock);
        DistributedLock reading = c.readWriteLock("rw").readLock();
        reading.lock();
        ends.put("read", reading::unlock);
        DistributedLock writing = c.readWriteLock("rw2").writeLock();
        writing.lock();
        ends.put("write", writing::unlock);
        MultiLock both = MultiLock.of(c.lock("x"), c.lock("y"));
        both.lock();
        ends.put("multi", both::unlock);
        assertAllSayThatTheClientWasClosed();
    }

    @Test
    void whoeverClosesALeaseAfterwardsIsToldThatTheClientWasClosed() throws InterruptedException {
        b.semaphore("s").trySetPermits(1);
        Lease lease = lock.acquire();
        ends.put("valid", () -> lease.ensureValid(Duration.ZERO));
        ends.put("lease", lease::close);
        var permit = c.semaphore("s").acquire();
        ends.put("permit", permit::close);
        var leadership = LeaderElection.of(c, "boss").campaign();
        ends.put("leadership", leadership::close);
        var segment = SegmentedLock.of(c, "stock", 2).acquireAny();
        ends.put("segment", segment::close);
        var both = MultiLock.of(c.lock("x"), c.lock("y")).acquire();
        ends.put("multi", both::close);
        assertAllSayThatTheClientWasClosed();
        lease.close();
        b.semaphore("s").delete();
    }

    @Test
    void aFutureForTheEndOfAHoldCompletesAfterwards() throws InterruptedException {
        List<CompletableFuture<Void>> futures = new ArrayList<>();
        Lease lease = lock.acquire();
        var leadership = LeaderElection.of(c, "boss").campaign();
        var both = MultiLock.of(c.lock("x"), c.lock("y")).acquire();
        c.close();
        futures.add(lease.closeAsync());
        futures.add(leadership.closeAsync());
        futures.add(both.closeAsync());
        sim.runFor(SHORT);
        assertThat(futures)
                .allSatisfy(future -> assertThatThrownBy(() -> sim.await(future))
                        .hasMessageContaining("client c was closed, which released"));
    }

    @Test
    void aFutureThatIsUnderWayCompletes() throws InterruptedException {
        Lease lease = lock.acquire();
        faults(c).holdReply(Operation.RELEASE);
        CompletableFuture<Void> closing = lease.closeAsync();
        CompletableFuture<Void> waiting = c.countDownLatch("l").async().await();
        sim.runFor(SHORT);
        c.close();
        sim.runFor(SHORT);
        assertThat(closing).isDone();
        assertThat(waiting).isDone();
    }

    @Test
    void aLossActionThatIsRegisteredAfterwardsRuns() {
        List<Object> told = new ArrayList<>();
        Lease lease = sim.await(lock.async().tryAcquire(Duration.ZERO, Duration.ofSeconds(1)))
                .orElseThrow();
        sim.runFor(Duration.ofSeconds(2));
        c.close();
        lease.onLost(told::add);
        sim.runFor(SHORT);
        assertThat(told).hasSize(1);
    }
}
