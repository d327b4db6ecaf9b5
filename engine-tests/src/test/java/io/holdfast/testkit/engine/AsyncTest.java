package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LockTimeoutException;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The face with futures. */
@Tag("everywhere")
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
                tokens.add(lease.fencingToken());
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

    static Stream<Arguments> requests() {
        return Stream.of(
                request("lock", client -> client.lock("n").async().acquire()),
                request("fair lock", client -> client.fairLock("n").async().acquire()),
                request(
                        "read lock",
                        client -> client.readWriteLock("n").readLock().async().acquire()),
                request(
                        "write lock",
                        client -> client.readWriteLock("n").writeLock().async().acquire()),
                request("permit", client -> client.semaphore("n").async().acquire()));
    }

    private static Arguments request(String kind, Function<Holdfast, CompletableFuture<? extends Lease>> request) {
        return arguments(kind, request);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("requests")
    void aHoldThatIsNotDeliveredWithinItsLeaseIsReleased(
            String kind, Function<Holdfast, CompletableFuture<? extends Lease>> request) {
        a.semaphore("n").setPermits(1);
        List<Runnable> handed = new ArrayList<>();
        Holdfast c = client("c", options -> options.callbackExecutor(handed::add));
        CompletableFuture<? extends Lease> future = request.apply(c);
        sim.runFor(LEASE);
        assertThat(isHeld()).isTrue();
        sim.runFor(Duration.ofSeconds(2));
        assertThat(isHeld()).isFalse();
        assertThat(events(LockEvent.Lost.class))
                .singleElement()
                .satisfies(lost -> assertThat(lost.reason()).contains("was not completed within the lease"));
        while (!future.isDone()) {
            handed.remove(0).run();
            sim.runReady();
        }
        assertThat(future.join().isValid()).isTrue();
        future.join().close();
        assertThat(a.semaphore("n").delete()).isTrue();
    }

    private boolean isHeld() {
        return !b.inspect("n").holders().isEmpty()
                || !b.semaphore("n").holders().isEmpty();
    }

    /** The store does not say who is in the way of those whose time is up. */
    @Test
    void futuresWhoseTimeIsUpHoldUpNoLoss() throws InterruptedException {
        List<Duration> told = new ArrayList<>();
        Lease lease = a.lock("other").acquire().onLost(loss -> told.add(sim.elapsed()));
        b.lock("n").lock();
        List<CompletableFuture<Lease>> late = IntStream.range(0, 200)
                .mapToObj(i -> lock.async().acquire(Duration.ofSeconds(1)))
                .toList();
        IntStream.range(0, 200).forEach(i -> faults(a).next(Operation.INSPECT, Fault.DROP_REQUEST));
        sim.runFor(Duration.ofMillis(1_001));
        b.lock("other").forceUnlock();
        sim.runFor(Duration.ofMillis(100));
        assertThat(told).hasSize(1);
        sim.runFor(Duration.ofSeconds(1));
        assertThat(late).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        b.lock("n").unlock();
    }

    @Test
    void anActionForALossWaitsForNoOtherCodeOfUsers() throws InterruptedException {
        List<String> told = new ArrayList<>();
        Lease lease = a.lock("other").acquire().onLost(loss -> told.add(loss.name()));
        for (int i = 0; i < 10; i++) {
            var unused = a.lock("stuck" + i).async().acquire().thenAccept(got -> sim.sleep(Duration.ofMinutes(1)));
        }
        sim.runFor(Duration.ofMillis(10));
        b.lock("other").forceUnlock();
        sim.runFor(Duration.ofMillis(10));
        assertThat(told).containsExactly("other");
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        sim.runFor(Duration.ofMinutes(10));
        for (int i = 0; i < 10; i++) {
            a.lock("stuck" + i).forceUnlock();
        }
        sim.runFor(Duration.ofSeconds(1));
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
