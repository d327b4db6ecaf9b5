package io.holdfast.testkit.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.OnMaxHold;
import io.holdfast.Permit;
import io.holdfast.StoreUnavailableException;
import io.holdfast.recipes.QuorumLease;
import io.holdfast.recipes.QuorumLock;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds with a lease of their own that is longer than their session. The session proves only a part of it at a time. */
class OwnLeaseTest {

    private static final Duration SESSION = SessionServer.SESSION;
    private static final Duration LEASE = SESSION.multipliedBy(4);
    private static final Duration MOMENT = Duration.ofSeconds(1);

    private final Simulation time = Simulation.of(13);
    private final SessionServer server = new SessionServer(time);
    private final List<LockEvent> events = new CopyOnWriteArrayList<>();
    private final List<Holdfast> opened = new ArrayList<>();
    private final Holdfast client = open(server);

    private Holdfast open(SessionServer at) {
        Holdfast fresh = Holdfast.builder()
                .uri("session:own")
                .provider(new SessionProvider(at))
                .platform(time)
                .listener(events::add)
                .build();
        opened.add(fresh);
        return fresh;
    }

    @AfterEach
    void close() {
        opened.forEach(Holdfast::close);
        time.run();
        time.close();
    }

    static Stream<Named<Function<Holdfast, DistributedLock>>> locks() {
        return Stream.of(
                Named.of("lock", client -> client.lock("n")),
                Named.of("fair lock", client -> client.fairLock("n")),
                Named.of("read lock", client -> client.readWriteLock("n").readLock()),
                Named.of("write lock", client -> client.readWriteLock("n").writeLock()));
    }

    private Lease acquire(DistributedLock lock) {
        return time.await(lock.async().tryAcquire(Duration.ZERO, LEASE)).orElseThrow();
    }

    private List<String> losses() {
        return events.stream()
                .filter(LockEvent.Lost.class::isInstance)
                .map(lost -> ((LockEvent.Lost) lost).reason())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("locks")
    void keepsALockUntilTheEndOfItsLease(Function<Holdfast, DistributedLock> lock) {
        Lease held = acquire(lock.apply(client));
        time.runFor(LEASE.multipliedBy(98).dividedBy(100));
        assertThat(losses()).isEmpty();
        assertThat(held.isValid()).isTrue();
        time.runFor(LEASE.dividedBy(20));
        assertThat(held.isValid()).isFalse();
        assertThat(losses()).containsExactly("the lease that it was acquired for has ended");
        assertThat(events).noneMatch(LockEvent.RenewalLate.class::isInstance);
    }

    @Test
    void keepsAPermitUntilTheEndOfItsLease() {
        time.start("sets", () -> client.semaphore("n").setPermits(2)).join();
        CompletableFuture<Optional<Permit>> request =
                client.semaphore("n").async().tryAcquire(1, Duration.ZERO, LEASE);
        Permit held = time.await(request).orElseThrow();
        time.runFor(LEASE.multipliedBy(98).dividedBy(100));
        assertThat(held.isValid()).isTrue();
        time.runFor(LEASE.dividedBy(20));
        assertThat(held.isValid()).isFalse();
    }

    @Test
    void losesALockWhoseSessionIsNotConfirmedForThatReason() {
        acquire(client.lock("n"));
        server.lastClient().cut(true);
        time.runFor(SESSION);
        assertThat(losses()).singleElement().asString().contains("before a renewal was confirmed");
        assertThat(events).anyMatch(LockEvent.RenewalLate.class::isInstance);
    }

    @Test
    void keepsAnExtendedLockUntilTheEndOfTheExtension() {
        Lease held = time.await(client.lock("n").async().tryAcquire(Duration.ZERO, MOMENT.multipliedBy(5)))
                .orElseThrow();
        time.start("extend", () -> held.extend(LEASE)).join();
        time.runFor(LEASE.multipliedBy(98).dividedBy(100));
        assertThat(held.isValid()).isTrue();
        time.runFor(LEASE.dividedBy(20));
        assertThat(held.isValid()).isFalse();
    }

    /** The renewals of the inner level are shorter than what is left of the outer one. */
    @Test
    void keepsALockUntilTheEndOfItsOuterLevel() {
        SimThread owner = time.start("levels", () -> {
            DistributedLock lock = client.lock("n");
            lock.lock(LEASE);
            lock.lock();
            time.sleep(SESSION);
            lock.unlock();
            time.sleep(SESSION.multipliedBy(2));
            assertThat(lock.isValid()).isTrue();
            time.sleep(SESSION.plus(MOMENT));
            assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        });
        owner.join();
    }

    @Test
    void freesALockThatIsLostAtTheEndOfItsLease() {
        acquire(client.lock("n"));
        time.runFor(LEASE.plus(MOMENT));
        assertThat(time.await(open(server).lock("n").async().tryAcquire(MOMENT.multipliedBy(5))))
                .isPresent();
    }

    /** The next owner in the same process must not inherit what is left of a longer lease. */
    @Test
    void freesALockThatIsLostAtTheEndOfAShorterLeaseOfTheNextOwner() {
        Lease first = acquire(client.lock("n"));
        CompletableFuture<Optional<Lease>> next = client.lock("n").async().tryAcquire(SESSION, SESSION.multipliedBy(2));
        time.runFor(MOMENT);
        time.start("close", first::close).join();
        assertThat(time.await(next)).isPresent();
        time.runFor(SESSION.multipliedBy(2).plus(MOMENT));
        assertThat(time.await(open(server).lock("n").async().tryAcquire(MOMENT.multipliedBy(10))))
                .isPresent();
    }

    @Test
    void doesNotExtendALockAtAServerThatDoesNotAnswer() {
        Lease held = acquire(client.lock("n"));
        server.lastClient().cut(true);
        Duration validFor = held.remainingLease();
        time.start(
                        "extend",
                        () -> assertThatThrownBy(() -> held.extend(LEASE.dividedBy(2)))
                                .isInstanceOf(StoreUnavailableException.class))
                .join();
        assertThat(held.remainingLease()).isLessThanOrEqualTo(validFor);
    }

    @Test
    void tellsThatASessionCannotProveAsMuchAsIsAsked() {
        Lease held = acquire(client.lock("n"));
        time.start(
                        "ensure",
                        () -> assertThatThrownBy(() -> held.ensureValid(LEASE.dividedBy(2)))
                                .isInstanceOf(StoreUnavailableException.class)
                                .hasMessageContaining("its answer proves less"))
                .join();
    }

    @Test
    void keepsALockThatIsHeldForTooLongUntilTheEndOfItsLease() {
        Lease held = acquire(client.lock("n", LockOptions.defaults().withMaxHold(SESSION, OnMaxHold.STOP_RENEWING)));
        time.runFor(LEASE.multipliedBy(98).dividedBy(100));
        assertThat(held.isValid()).isTrue();
        assertThat(events).anyMatch(LockEvent.HeldTooLong.class::isInstance);
        time.runFor(LEASE.dividedBy(20));
        assertThat(losses()).hasSize(1);
    }

    @Test
    void confirmsALockAtAMajorityBeforeTheEndOfItsLease() {
        List<Holdfast> servers = Stream.of("a", "b", "c")
                .map(name -> open(new SessionServer(time, "server " + name)))
                .toList();
        SimThread owner = time.start("quorum", () -> {
            QuorumLease held =
                    QuorumLock.of(servers, "n").tryAcquire(MOMENT, LEASE).orElseThrow();
            // the members have not renewed yet
            time.sleep(SESSION.dividedBy(5));
            Duration more = held.remainingLease().plus(MOMENT);
            held.ensureValid(more);
            assertThat(held.remainingLease()).isGreaterThanOrEqualTo(more);
            assertThatThrownBy(() -> held.ensureValid(LEASE.minus(MOMENT.multipliedBy(3))))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("its own lease ends in");
            held.close();
        });
        owner.join();
    }
}
