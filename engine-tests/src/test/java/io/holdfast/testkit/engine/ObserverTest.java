package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockObserver;
import io.holdfast.LockObserver.Kind;
import io.holdfast.Permit;
import io.holdfast.recipes.MultiLock;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An observer sees each acquire and each hold begin and end once. */
class ObserverTest extends VirtualTime {

    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final DistributedLock lock = a.lock("n");

    /** Writes down what it sees, without tokens. */
    private final class Recorder implements LockObserver {

        @Override
        public Acquiring acquire(Kind kind, String name) {
            seen.add(kind + " " + name);
            return new Acquiring() {
                @Override
                public Holding acquired(long fencingToken) {
                    seen.add("acquired");
                    return new Holding() {
                        @Override
                        public void released() {
                            seen.add("released");
                        }

                        @Override
                        public void lost(String reason) {
                            seen.add("lost");
                        }
                    };
                }

                @Override
                public void timedOut() {
                    seen.add("timed out");
                }

                @Override
                public void withdrawn() {
                    seen.add("withdrawn");
                }

                @Override
                public void failed(Throwable error) {
                    seen.add("failed " + error.getClass().getSimpleName());
                }
            };
        }
    }

    @BeforeEach
    void observe() {
        a.addObserver(new Recorder());
    }

    private List<String> seen() {
        sim.runReady();
        return seen;
    }

    @Test
    void aHoldOfAThread() {
        lock.lock();
        lock.lock();
        lock.unlock();
        assertThat(seen()).containsExactly("LOCK n", "acquired");
        lock.unlock();
        assertThat(seen()).containsExactly("LOCK n", "acquired", "released");
    }

    @Test
    void eachKindHasItsName() throws InterruptedException {
        a.semaphore("s").trySetPermits(2);
        a.fairLock("f").run(() -> {});
        a.readWriteLock("r").readLock().run(() -> {});
        a.readWriteLock("r").writeLock().run(() -> {});
        try (Permit permit = a.semaphore("s").acquire()) {
            assertThat(permit.isValid()).isTrue();
        }
        assertThat(seen())
                .filteredOn(line -> line.contains(" "))
                .containsExactly(
                        Kind.FAIR_LOCK + " f", Kind.READ_LOCK + " r", Kind.WRITE_LOCK + " r", Kind.PERMITS + " s");
        assertThat(seen()).filteredOn("released"::equals).hasSize(4);
    }

    @Test
    void aWaitThatPasses() throws InterruptedException {
        b.lock("n").lock();
        assertThat(lock.tryLock()).isFalse();
        assertThat(lock.tryLock(Duration.ofSeconds(1))).isFalse();
        assertThat(sim.await(lock.async().tryAcquire(Duration.ofSeconds(1)))).isEmpty();
        assertThat(seen()).containsExactly("LOCK n", "timed out", "LOCK n", "timed out", "LOCK n", "timed out");
        b.lock("n").unlock();
    }

    @Test
    void anInterruptedWait() {
        b.lock("n").lock();
        SimThread waiter = start(
                "waiter", () -> assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class));
        sim.runReady();
        waiter.interrupt();
        waiter.join();
        assertThat(seen()).containsExactly("LOCK n", "withdrawn");
        b.lock("n").unlock();
    }

    @Test
    void aCanceledFuture() {
        b.lock("n").lock();
        CompletableFuture<Lease> future = lock.async().acquire();
        sim.runFor(Duration.ofMillis(10));
        future.cancel(false);
        assertThat(seen()).containsExactly("LOCK n", "withdrawn");
        b.lock("n").unlock();
        assertNothingIsLeft();
    }

    @Test
    void aFutureThatIsCanceledWhenItsGrantIsDelivered() {
        List<Runnable> handed = new CopyOnWriteArrayList<>();
        var c = client("c", options -> options.callbackExecutor(handed::add));
        c.addObserver(new Recorder());
        CompletableFuture<Lease> future = c.lock("n").async().acquire();
        sim.runFor(Duration.ofMillis(10));
        future.cancel(false);
        handed.remove(0).run();
        assertThat(seen()).containsExactly("LOCK n", "withdrawn");
        assertNothingIsLeft();
    }

    @Test
    void aStoreThatDoesNotAnswer() {
        faults(a).next(Operation.ACQUIRE, Fault.DROP_REQUEST);
        assertThatThrownBy(lock::lock).isInstanceOf(HoldfastException.class);
        assertThat(seen()).startsWith("LOCK n").last().asString().startsWith("failed ");
    }

    @Test
    void aLossIsSeenOnceAndBeforeTheOwnerAsks() throws InterruptedException {
        Lease lease = lock.tryAcquire(Duration.ZERO, Duration.ofSeconds(1)).orElseThrow();
        sim.runFor(Duration.ofSeconds(2));
        assertThat(seen()).containsExactly("LOCK n", "acquired", "lost");
        assertThatThrownBy(lease::close).isNotNull();
        assertThat(seen()).containsExactly("LOCK n", "acquired", "lost");
    }

    @Test
    void aLossThatTheReleaseFindsIsALoss() {
        lock.lock();
        b.lock("n").forceUnlock();
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(seen()).containsExactly("LOCK n", "acquired", "lost");
    }

    @Test
    void aLeaseThatIsClosedWithoutWaiting() throws InterruptedException {
        Lease lease = lock.acquire();
        sim.await(lease.closeAsync());
        assertThat(seen()).containsExactly("LOCK n", "acquired", "released");
    }

    @Test
    void anOwnerThatEndsWithoutReleasing() {
        start("careless", lock::lock).join();
        sim.runFor(LEASE.multipliedBy(2));
        assertThat(seen()).containsExactly("LOCK n", "acquired", "lost");
    }

    @Test
    void theCloseOfTheClientReleasesTheHold() throws InterruptedException {
        Lease lease = lock.acquire();
        a.close();
        assertThat(seen()).containsExactly("LOCK n", "acquired", "released");
        assertThatThrownBy(lease::close).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aRunOfAPeriodIsReleasedWhenItsBodyEnds() {
        lock.runOnce(Duration.ofMinutes(1), () -> assertThat(seen()).containsExactly("LOCK n", "acquired"));
        assertThat(seen()).containsExactly("LOCK n", "acquired", "released");
    }

    @Test
    void theCloseOfTheClientEndsARunOfAPeriod() {
        assertThatThrownBy(() -> lock.runOnce(Duration.ofMinutes(1), a::close))
                .isInstanceOf(IllegalStateException.class);
        assertThat(seen()).containsExactly("LOCK n", "acquired", "released");
    }

    @Test
    void aMultiLockOfAnInterruptedThread() {
        MultiLock both = MultiLock.of(a.lock("x"), a.lock("y"));
        SimThread caller = start("caller", () -> {
            Thread.currentThread().interrupt();
            assertThatThrownBy(both::lockInterruptibly).isInstanceOf(InterruptedException.class);
        });
        caller.join();
        assertThat(ends())
                .isEqualTo(
                        seen().stream().filter(line -> line.startsWith("LOCK")).count());
    }

    @Test
    void theMembersOfAMultiLock() throws InterruptedException {
        MultiLock both = MultiLock.of(a.lock("x"), a.lock("y"));
        both.acquire().close();
        assertThat(seen()).filteredOn(line -> line.startsWith("LOCK")).containsExactlyInAnyOrder("LOCK x", "LOCK y");
        assertThat(seen()).filteredOn("acquired"::equals).hasSize(2);
        assertThat(seen()).filteredOn("released"::equals).hasSize(2);
    }

    @Test
    void aRefusedMultiLockLeavesNothingOpen() throws InterruptedException {
        b.lock("y").lock();
        MultiLock both = MultiLock.of(a.lock("x"), a.lock("y"));
        assertThat(both.tryAcquire(Duration.ofSeconds(1))).isEmpty();
        assertThat(ends())
                .isEqualTo(
                        seen().stream().filter(line -> line.startsWith("LOCK")).count());
        assertThat(seen())
                .filteredOn("acquired"::equals)
                .hasSameSizeAs(seen().stream().filter("released"::equals).toList());
        b.lock("y").unlock();
    }

    private long ends() {
        return seen().stream()
                .filter(line -> line.equals("acquired")
                        || line.equals("timed out")
                        || line.equals("withdrawn")
                        || line.startsWith("failed"))
                .count();
    }

    @Test
    void anObserverThatThrowsChangesNothing() {
        a.addObserver((kind, name) -> {
            throw new IllegalStateException("planned");
        });
        lock.run(() -> assertThat(lock.isHeldByCurrentThread()).isTrue());
        assertThat(seen()).containsExactly("LOCK n", "acquired", "released");
    }

    @Test
    void anObserverWithoutATextChangesNothing() {
        a.addObserver(new LockObserver() {
            @Override
            public Acquiring acquire(Kind kind, String name) {
                throw new IllegalStateException("planned");
            }

            @Override
            public String toString() {
                throw new IllegalStateException("planned, too");
            }
        });
        lock.run(() -> assertThat(lock.isHeldByCurrentThread()).isTrue());
        assertNothingIsLeft();
    }

    @Test
    void aRemovedObserverSeesTheEndOfWhatItObserves() {
        LockObserver other = new Recorder();
        a.addObserver(other);
        lock.lock();
        a.removeObserver(other);
        lock.unlock();
        lock.run(() -> {});
        assertThat(seen())
                .containsExactly(
                        "LOCK n",
                        "LOCK n",
                        "acquired",
                        "acquired",
                        "released",
                        "released",
                        "LOCK n",
                        "acquired",
                        "released");
    }
}
