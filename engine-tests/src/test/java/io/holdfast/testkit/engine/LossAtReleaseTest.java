package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.recipes.MultiLock;
import io.holdfast.recipes.QuorumLock;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.Release;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.spi.StoreProvider;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.SimulatedServer;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A hold that the store has lost is reported by its release, however often that is sent. */
class LossAtReleaseTest extends VirtualTime {

    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

    /** The answers to the next releases, instead of the store's. */
    private final List<CompletionStage<Release.Reply>> answers = new ArrayList<>();

    private final List<Holdfast> all = new ArrayList<>();
    private final Holdfast c = clientOf("c", server);

    private final DistributedLock lock = c.lock("n");

    /** Ways to hold something. */
    private enum Face {
        THREAD {
            @Override
            ThrowingCallable acquire(LossAtReleaseTest test) {
                return locked(test.lock);
            }
        },
        FAIR {
            @Override
            ThrowingCallable acquire(LossAtReleaseTest test) {
                return locked(test.c.fairLock("n"));
            }
        },
        READ {
            @Override
            ThrowingCallable acquire(LossAtReleaseTest test) {
                return locked(test.c.readWriteLock("n").readLock());
            }
        },
        WRITE {
            @Override
            ThrowingCallable acquire(LossAtReleaseTest test) {
                return locked(test.c.readWriteLock("n").writeLock());
            }
        },
        LEASE {
            @Override
            ThrowingCallable acquire(LossAtReleaseTest test) throws InterruptedException {
                return test.lock.acquire()::close;
            }
        },
        FUTURE {
            @Override
            ThrowingCallable acquire(LossAtReleaseTest test) throws InterruptedException {
                Lease lease = test.lock.acquire();
                return () -> {
                    throw test.sim
                            .await(lease.closeAsync().handle((nothing, error) -> error))
                            .getCause();
                };
            }
        },
        PERMIT {
            @Override
            ThrowingCallable acquire(LossAtReleaseTest test) throws InterruptedException {
                test.c.semaphore("n").trySetPermits(1);
                return test.c.semaphore("n").acquire()::close;
            }
        },
        MULTI {
            @Override
            ThrowingCallable acquire(LossAtReleaseTest test) {
                return locked(MultiLock.of(test.lock, test.clientOfAnother("t").lock("n")));
            }
        };

        /** Acquires; returns what releases. */
        abstract ThrowingCallable acquire(LossAtReleaseTest test) throws InterruptedException;

        private static ThrowingCallable locked(Lock lock) {
            lock.lock();
            return lock::unlock;
        }
    }

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
    }

    private StoreProvider answering(SimulatedServer asked) {
        return provider(config -> new ForwardingStore(asked.open(config)) {
            @Override
            public CompletionStage<Release.Reply> release(Release request) {
                return answers.isEmpty() ? super.release(request) : answers.remove(0);
            }
        });
    }

    private Holdfast clientOf(String name, SimulatedServer asked) {
        Holdfast client = client(name, options -> options.provider(answering(asked)));
        all.add(client);
        return client;
    }

    private Holdfast clientOfAnother(String name) {
        return clientOf(name, sim.server(name));
    }

    private SimThread unreachableFor(Duration time) {
        faults(c).outage(true);
        return start("repair", () -> {
            sim.sleep(time);
            faults(c).outage(false);
        });
    }

    private static CompletionStage<Release.Reply> failed(Effect effect) {
        return CompletableFuture.failedStage(new StoreException(effect, "the key is a string"));
    }

    private void assertLost(ThrowingCallable release) {
        assertThatThrownBy(release).isInstanceOf(LeaseLostException.class).hasMessageContaining("'n'");
        assertOneLoss();
    }

    private void assertOneLoss() {
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
        assertThat(all.stream().mapToLong(client -> client.stats().lost()).sum())
                .isEqualTo(1);
    }

    private void assertNoLoss() {
        assertThat(events(LockEvent.Lost.class)).isEmpty();
        assertThat(c.stats().lost()).isZero();
    }

    // ---- copies

    @ParameterizedTest
    @EnumSource(Face.class)
    void aReleaseThatWasNotSentDidNotFreeTheName(Face face) throws InterruptedException {
        ThrowingCallable release = face.acquire(this);
        server.wipe();
        SimThread repair = unreachableFor(SHORT);
        assertLost(release);
        repair.join();
    }

    @Test
    void aReleaseThatTurnsOutLateNotToHaveBeenSentDidNotFreeTheNameEither() {
        CompletableFuture<Release.Reply> first = new CompletableFuture<>();
        answers.add(first);
        lock.lock();
        server.wipe();
        SimThread driver = start("driver", () -> {
            sim.sleep(COMMAND_TIMEOUT.plusMillis(20));
            first.completeExceptionally(new StoreException(Effect.NOT_APPLIED, "it was not sent"));
        });
        lock.unlock();
        assertNoLoss();
        driver.join();
        sim.runFor(SHORT);
        assertOneLoss();
    }

    @Test
    void aCopyThatMayHaveBeenAppliedStandsForTheOnesAfterIt() {
        lock.lock();
        faults(c).next(Operation.RELEASE, Fault.FAIL_BEFORE);
        faults(c).next(Operation.RELEASE, Fault.FAIL_AFTER);
        faults(c).next(Operation.RELEASE, Fault.FAIL_BEFORE);
        lock.unlock();
        assertNoLoss();
    }

    @ParameterizedTest
    @EnumSource(Face.class)
    void reportsTheLossOfAHoldBeforeCopiesOfUnknownEffect(Face face) throws InterruptedException {
        ThrowingCallable release = face.acquire(this);
        server.wipe();
        answers.add(failed(Effect.UNKNOWN));
        answers.add(failed(Effect.UNKNOWN));
        assertLost(release);
    }

    @Test
    void reportsTheLossOfAHoldThatAnotherClientHasAcquiredSince() {
        lock.lock();
        server.wipe();
        b.lock("n").lock();
        answers.add(failed(Effect.UNKNOWN));
        assertLost(lock::unlock);
        b.lock("n").unlock();
    }

    @ParameterizedTest
    @EnumSource(names = "FUTURE", mode = EnumSource.Mode.EXCLUDE)
    void reportsNoLossOfAHoldWhoseReleaseWasApplied(Face face) throws Throwable {
        ThrowingCallable release = face.acquire(this);
        faults(c).next(Operation.RELEASE, Fault.FAIL_AFTER);
        release.call();
        assertNoLoss();
    }

    @Test
    void reportsNoLossOfALeaseThatEndsWhileItsReleaseIsRepeated() throws InterruptedException {
        lock.tryLock(Duration.ZERO, SHORT);
        for (int i = 0; i < 4; i++) {
            answers.add(failed(Effect.UNKNOWN));
        }
        lock.unlock();
        assertThat(answers).isEmpty();
        sim.runFor(COMMAND_TIMEOUT);
        assertNoLoss();
        assertThat(c.stats().unsettled()).isZero();
    }

    @Test
    void reportsNoLossOfALeaseThatEndsInASuspend() throws InterruptedException {
        lock.tryLock(Duration.ZERO, COMMAND_TIMEOUT);
        answers.add(failed(Effect.UNKNOWN));
        SimThread suspend = start("suspend", () -> {
            sim.sleep(Duration.ofMillis(10));
            sim.suspend(LEASE);
        });
        lock.unlock();
        suspend.join();
        sim.runFor(COMMAND_TIMEOUT);
        assertNoLoss();
    }

    @Test
    void reportsNoLossIfTheRecordMayHaveBeenDeleted() throws InterruptedException {
        lock.tryLock(Duration.ZERO, Duration.ofHours(1));
        answers.add(failed(Effect.UNKNOWN));
        SimThread repair = start("repair", () -> {
            sim.sleep(Duration.ofMillis(10));
            faults(c).outage(true);
            sim.sleep(Duration.ofMinutes(10));
            faults(c).outage(false);
        });
        lock.unlock();
        server.wipe();
        repair.join();
        sim.runFor(COMMAND_TIMEOUT);
        assertNoLoss();
        assertThat(c.stats().unsettled()).isZero();
    }

    @Test
    void reportsNoLossOfALeaseThatEndsBeforeItsReleaseArrives() throws InterruptedException {
        lock.tryLock(Duration.ZERO, SHORT);
        sim.runFor(SHORT.minusMillis(10));
        faults(c).next(Operation.RELEASE, Fault.FAIL_BEFORE);
        lock.unlock();
        assertNoLoss();
        assertThat(c.stats().unsettled()).isZero();
    }

    @Test
    void reportsALossBeforeAReleaseDuringWhichTheClockIsSet() {
        lock.lock();
        server.wipe();
        CompletableFuture<Release.Reply> reply = new CompletableFuture<>();
        answers.add(reply);
        SimThread clock = start("clock", () -> {
            sim.sleep(Duration.ofMillis(10));
            sim.suspend(LEASE.dividedBy(4));
            reply.complete(new Release.Reply(false, 0, 0));
        });
        assertLost(lock::unlock);
        clock.join();
    }

    /** Its answer is lost. It reaches the server after the deadline, and before the lease ends there. */
    @Test
    void reportsNoLossOfAHoldWhoseReleaseWasAppliedAfterTheDeadline() throws InterruptedException {
        lock.tryLock(Duration.ZERO, Duration.ofSeconds(10));
        sim.runFor(Duration.ofMillis(9_850));
        faults(c).next(Operation.RELEASE, Fault.FAIL_BEFORE);
        faults(c).next(Operation.RELEASE, Fault.FAIL_AFTER);
        lock.unlock();
        assertNoLoss();
    }

    @Test
    void aLossThatIsFoundAfterTheUnlockHasReturnedIsReported() throws InterruptedException {
        List<String> told = new ArrayList<>();
        Lease lease = lock.acquire().onLost(loss -> told.add(loss.getMessage()));
        server.wipe();
        SimThread repair = unreachableFor(COMMAND_TIMEOUT.multipliedBy(2));
        lease.close();
        assertThat(events(LockEvent.ReleaseUnconfirmed.class)).hasSize(1);
        assertNoLoss();
        repair.join();
        sim.runFor(COMMAND_TIMEOUT);
        assertOneLoss();
        assertThat(told).as("the lease was closed").isEmpty();
    }

    @Test
    void aLossThatIsFoundByTheCloseOfTheClientIsReported() throws InterruptedException {
        Lease lease = lock.acquire();
        server.wipe();
        c.close();
        assertOneLoss();
        assertLost(lease::close);
    }

    @Test
    void aLossThatIsFoundByTheCloseOfTheClientIsReportedOnce() throws InterruptedException {
        CompletableFuture<Release.Reply> reply = new CompletableFuture<>();
        answers.add(reply);
        Lease lease = lock.acquire();
        SimThread closer = start("closer", c::close);
        sim.runReady();
        var unused = lease.closeAsync();
        reply.complete(new Release.Reply(false, 0, 0));
        closer.join();
        assertOneLoss();
        sim.runFor(LEASE);
    }

    // ---- refusals

    @ParameterizedTest
    @EnumSource(Face.class)
    void aReleaseThatIsRefusedIsALossAndIsNotRepeated(Face face) throws InterruptedException {
        ThrowingCallable release = face.acquire(this);
        Duration before = sim.elapsed();
        answers.add(failed(Effect.REFUSED));
        assertThatThrownBy(release)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("'n'")
                .hasMessageContaining("refused to release it: the key is a string")
                .hasMessageContaining("nobody else can acquire it before its lease ends, in at most 32000 ms");
        assertOneLoss();
        assertThat(sim.elapsed()).isEqualTo(before);
        assertThat(c.stats().unsettled()).isZero();
        sim.runFor(LEASE);
    }

    @Test
    void aMajorityThatRefusesTheReleaseOfAQuorumLockIsALoss() {
        QuorumLock quorum =
                QuorumLock.of(List.of(clientOfAnother("q1"), clientOfAnother("q2"), clientOfAnother("q3")), "n");
        quorum.lock();
        sim.runReady();
        answers.add(failed(Effect.REFUSED));
        answers.add(failed(Effect.REFUSED));
        assertThatThrownBy(quorum::unlock)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("still held at 1");
        // the confirmation of the token has renewed it
        sim.runFor(LEASE.plus(SHORT));
    }

    @Test
    void aPlaceWhoseWithdrawalIsRefusedIsNoLoss() throws InterruptedException {
        b.lock("n").lock();
        answers.add(failed(Effect.REFUSED));
        assertThat(lock.tryLock(SHORT)).isFalse();
        assertNoLoss();
        b.lock("n").unlock();
        sim.runFor(LEASE);
    }
}
