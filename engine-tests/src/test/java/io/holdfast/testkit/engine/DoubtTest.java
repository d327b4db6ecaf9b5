package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.OnMaxHold;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A suspend or a clock step puts a hold in doubt. Its owner then extends or releases it. */
class DoubtTest extends VirtualTime {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration AWAY = LEASE.multipliedBy(4);

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
    }

    private Lease acquired() {
        return sim.await(a.lock("n").async().tryAcquire(Duration.ZERO, LEASE)).orElseThrow();
    }

    private void run(String name, SimThread.Body body) {
        start(name, body).join();
    }

    /** Starts an extension, and suspends the machine before its answer. */
    private SimThread losesWhileItExtends(Lease held, Held reply) {
        SimThread owner = start(
                "owner",
                () -> assertThatThrownBy(() -> held.extend(LEASE.multipliedBy(2)))
                        .isInstanceOf(LeaseLostException.class));
        sim.runUntil(reply::isCaught, LONG);
        sim.suspend(AWAY);
        return owner;
    }

    @Test
    void doesNotExtendALockThatWasLostInASuspend() {
        Lease held = acquired();
        sim.suspend(AWAY);
        run("owner", () -> assertThatThrownBy(() -> held.extend(SECOND)).isInstanceOf(LeaseLostException.class));
    }

    @Test
    void confirmsALockBeforeItIsExtendedAfterAClockStep() {
        Lease held = acquired();
        sim.stepWallClock(Duration.ofSeconds(5));
        run("owner", () -> {
            held.extend(SECOND);
            assertThat(held.isValid()).isTrue();
            held.close();
        });
    }

    @Test
    void doesNotExtendALockThatWasLostDuringTheExtension() {
        Lease held = acquired();
        Held reply = faults(a).holdReply(Operation.RENEW);
        SimThread owner = losesWhileItExtends(held, reply);
        reply.letGo();
        owner.join();
    }

    @Test
    void verifiesAHoldAfterASuspendBesideARenewalUnderWay() {
        Lease held = acquired();
        Held reply = faults(a).holdReply(Operation.RENEW);
        SimThread owner = losesWhileItExtends(held, reply);
        sim.runFor(SECOND.plusMillis(100));
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
        reply.letGo();
        owner.join();
    }

    static Stream<Named<Function<Holdfast, DistributedLock>>> locks() {
        return Stream.of(
                Named.of("lock", client -> client.lock("n")),
                Named.of("fair lock", client -> client.fairLock("n")),
                Named.of("write lock", client -> client.readWriteLock("n").writeLock()));
    }

    @ParameterizedTest
    @MethodSource("locks")
    void tellsAnOwnerBesideAWaiterThatItsLockWasLostInASuspend(Function<Holdfast, DistributedLock> kind) {
        DistributedLock lock = kind.apply(a);
        SimThread owner = start("owner", () -> {
            lock.lock();
            sim.sleep(SECOND);
            sim.suspend(AWAY);
            assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        });
        SimThread waiter = start("waiter", () -> {
            sim.sleep(Duration.ofMillis(500));
            lock.lock();
            assertThat(lock.isValid()).isTrue();
            lock.unlock();
        });
        owner.join();
        waiter.join();
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
    }

    @Test
    void tellsThatALockWasLostInASuspendDuringARun() {
        Duration run = Duration.ofMinutes(10);
        run(
                "run",
                () -> assertThatThrownBy(() -> a.lock("job").runOnce(run, () -> sim.suspend(run.multipliedBy(6))))
                        .isInstanceOf(LeaseLostException.class));
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
    }

    /** The run ends while the store does not answer, so nobody waits for the verdict any longer. */
    @Test
    void tellsThatALockWasLostInASuspendDuringARunWhenTheStoreAnswersAgain() {
        Duration run = Duration.ofMinutes(10);
        run(
                "run",
                () -> assertThat(a.lock("job").runOnce(run, () -> {
                            faults(a).outage(true);
                            sim.suspend(run.multipliedBy(6));
                        }))
                        .isTrue());
        assertThat(events(LockEvent.ReleaseUnconfirmed.class)).hasSize(1);
        faults(a).outage(false);
        sim.runFor(LONG);
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
    }

    @Test
    void keepsTheNameOfARunThatASecondAnswerConfirms() {
        faults(a).next(Operation.RENEW, Fault.FAIL_BEFORE);
        run(
                "run",
                () -> assertThat(a.lock("job").runOnce(LONG, () -> sim.suspend(SECOND)))
                        .isTrue());
        run("other", () -> assertThat(b.lock("job").tryLock()).isFalse());
        sim.runFor(LONG);
        run("other", () -> assertThat(b.lock("job").runOnce(LONG, () -> {})).isTrue());
        assertThat(events(LockEvent.Lost.class)).isEmpty();
        sim.runFor(LONG);
    }

    @Test
    void tellsThatMaxHoldWasReachedDuringAnExtension() {
        DistributedLock lock =
                a.lock("n", LockOptions.defaults().withMaxHold(SECOND.multipliedBy(3), OnMaxHold.STOP_RENEWING));
        Lease held = sim.await(lock.async().tryAcquire(Duration.ZERO, LEASE)).orElseThrow();
        sim.runFor(Duration.ofMillis(2_500));
        Held reply = faults(a).holdReply(Operation.RENEW);
        SimThread owner = start(
                "owner",
                () -> assertThatThrownBy(() -> held.extend(LEASE.multipliedBy(2)))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("maxHold"));
        sim.runUntil(() -> events.stream().anyMatch(LockEvent.HeldTooLong.class::isInstance), LONG);
        reply.letGo();
        owner.join();
        run("close", held::close);
    }
}
