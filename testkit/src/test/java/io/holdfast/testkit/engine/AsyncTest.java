package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The face with futures. */
class AsyncTest extends VirtualTime {

    private final DistributedLock lock = a.lock("n");

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
    }

    @Test
    void manyRequestsAreServedOneAfterTheOther() {
        List<Long> tokens = new ArrayList<>();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(lock.async().acquire().thenCompose(lease -> {
                tokens.add(lease.token());
                return lease.closeAsync();
            }));
        }
        sim.await(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)));
        assertThat(tokens).isSorted().doesNotHaveDuplicates().hasSize(100);
    }

    @Test
    void aWaitThatPassesFailsOrIsEmpty() {
        b.lock("n").lock();
        CompletableFuture<Lease> bounded = lock.async().acquire(Duration.ofSeconds(1));
        CompletableFuture<Optional<Lease>> tried = lock.async().tryAcquire(Duration.ofSeconds(1));
        CompletableFuture<Optional<Lease>> atOnce = lock.async().tryAcquire();
        assertThat(sim.await(atOnce)).isEmpty();
        assertThat(sim.await(tried)).isEmpty();
        assertThatThrownBy(() -> sim.await(bounded))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining(b.clientId());
        b.lock("n").unlock();
    }

    @Test
    void callbacksRunOnTheUsersExecutor() {
        List<Runnable> handed = new ArrayList<>();
        Executor mine = handed::add;
        Holdfast c = client("c", options -> options.callbackExecutor(mine));
        CompletableFuture<Lease> future = c.lock("n").async().acquire();
        sim.runFor(Duration.ofMillis(10));
        assertThat(future).isNotDone();
        handed.remove(0).run();
        assertThat(future).isDone();
        CompletableFuture<Void> closed = future.join().closeAsync();
        sim.runFor(Duration.ofMillis(10));
        handed.remove(0).run();
        assertThat(closed).isDone();
    }

    @Test
    void aLeaseOfItsOwnEndsAndItsCloseFails() {
        Lease lease = sim.await(lock.async().tryAcquire(Duration.ZERO, Duration.ofSeconds(1)))
                .orElseThrow();
        sim.runFor(Duration.ofSeconds(2));
        assertThatThrownBy(() -> sim.await(lease.closeAsync())).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void timersOfWhatIsDoneAreDropped() {
        for (int i = 0; i < 50; i++) {
            Lease lease = sim.await(lock.async().acquire(Duration.ofHours(1)));
            sim.await(lease.closeAsync());
        }
        Duration before = sim.elapsed();
        sim.run();
        assertThat(sim.elapsed().minus(before)).isLessThan(Duration.ofMinutes(1));
    }

    @Test
    void badArgumentsThrowAtTheCall() {
        assertThatThrownBy(() -> lock.async().tryAcquire(Duration.ZERO, Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
