package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Leases that several threads use. */
class SharedLeaseTest extends VirtualTime {

    private final DistributedLock lock = a.lock("n");

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
    }

    @Test
    void aSecondCloseReturnsWhenTheReleaseIsKnown() throws InterruptedException {
        Lease lease = lock.acquire();
        assertSecondCloseWaits(faults(a), lease::close);
        assertThat(b.lock("n").tryLock()).isTrue();
        b.lock("n").unlock();
    }

    @Test
    void aSecondCloseWithAFutureCompletesWhenTheReleaseIsKnown() throws InterruptedException {
        Lease lease = lock.acquire();
        Held release = faults(a).holdRequest(Operation.RELEASE);
        CompletableFuture<Void> first = lease.closeAsync();

        CompletableFuture<Void> second = lease.closeAsync();
        sim.runReady();
        assertThat(first).isNotDone();
        assertThat(second).isNotDone();

        release.letGo();
        sim.runReady();
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
    }

    @Test
    void aSecondCloseOfALostLeaseReturns() throws InterruptedException {
        Lease lease = lock.acquire();
        b.lock("n").forceUnlock();
        sim.runReady();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        lease.close();
        CompletableFuture<Void> again = lease.closeAsync();
        sim.runReady();
        assertThat(again).isCompleted();
    }

    @Test
    void aSecondCloseWaitsForACommandTimeoutAtMost() throws InterruptedException {
        Lease lease = lock.acquire();
        Held release = faults(a).holdRequest(Operation.RELEASE);
        SimThread first = start("first", lease::close);
        SimThread second = start("second", lease::close);
        sim.runUntil(() -> first.done() && second.done(), Duration.ofSeconds(10));
        release.letGo();
    }

    @Test
    void aThreadWaitsForALeaseThatAnotherThreadUses() throws InterruptedException {
        SimThread worker = start("giver", () -> {
            Lease lease = lock.acquire();
            SimThread user = start("user", () -> {
                assertThat(lease.isValid()).isTrue();
                sim.sleep(LEASE);
                lease.close();
            });
            sim.sleep(LEASE.dividedBy(2));
            lock.lock();
            assertThat(user.done()).isTrue();
            lock.unlock();
        });
        worker.join();
    }
}
