package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreProvider;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The watchdog: in batches, each name by itself, for as long as the owner lives, and it cannot die. */
class RenewalTest extends VirtualTime {

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
    }

    private List<Lease> acquireMany(int count) throws InterruptedException {
        return acquireMany(a, count);
    }

    private static List<Lease> acquireMany(Holdfast client, int count) throws InterruptedException {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            leases.add(client.lock("n" + i).acquire());
        }
        return leases;
    }

    @Test
    void renewalsGoInBatches() throws InterruptedException {
        List<Lease> leases = acquireMany(250);
        long before = calls(a);
        sim.runFor(Duration.ofSeconds(11));
        assertThat(calls(a) - before).isEqualTo(3);
        assertThat(a.stats().renewals()).isEqualTo(250);
        leases.forEach(Lease::close);
    }

    /** The renewal of another name keeps the thread of renewals busy, and the hold ends before its own renewal is sent. */
    @Test
    void aHoldThatEndsWhileItsRenewalWaitsForTheThreadIsNotRenewed() throws InterruptedException {
        List<String> renewed = new ArrayList<>();
        Holdfast c = client(
                "c",
                options -> options.lease(Duration.ofMillis(900))
                        .provider(provider(config -> new ForwardingStore(server.open(config)) {
                            @Override
                            public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
                                batch.forEach(request -> renewed.add(request.name()));
                                sim.sleep(Duration.ofMillis(100));
                                return super.renew(batch);
                            }
                        })));
        Lease slow = c.lock("slow").acquire();
        sim.runFor(Duration.ofMillis(50));
        Lease brief = c.lock("brief").acquire();
        // due after 300 ms and 350 ms
        sim.runFor(Duration.ofMillis(310));
        SimThread asker = start("asker", () -> brief.ensureValid(Duration.ofMillis(800)));
        sim.runFor(Duration.ofMillis(10));
        long before = calls(c);

        brief.close();
        sim.runFor(Duration.ofMillis(90));

        assertThat(renewed).containsExactly("slow");
        assertThat(calls(c) - before).as("the release").isEqualTo(1);
        assertThat(asker.done())
                .as("nobody waits for a renewal that is not sent")
                .isTrue();
        assertThatThrownBy(asker::join).hasCauseInstanceOf(LeaseLostException.class);
        slow.close();
    }

    @Test
    void theStoreSaysHowManyGoInABatchUnlessTheUserDoes() throws InterruptedException {
        StoreProvider provider = declaring(able -> able.withRenewalBatch(1_000));
        Holdfast c = client("c", options -> options.provider(provider));
        Holdfast d = client("d", options -> options.provider(provider).renewalBatch(50));
        assertThat(callsToRenew250(c)).isEqualTo(1);
        assertThat(callsToRenew250(d)).isEqualTo(5);
    }

    private long callsToRenew250(Holdfast client) throws InterruptedException {
        List<Lease> leases = acquireMany(client, 250);
        long before = calls(client);
        sim.runFor(Duration.ofSeconds(11));
        long calls = calls(client) - before;
        leases.forEach(Lease::close);
        return calls;
    }

    @Test
    void aHoldLastsForAsLongAsItsOwnerLives() throws InterruptedException {
        List<Lease> leases = acquireMany(3);
        sim.runFor(Duration.ofHours(3));
        assertThat(leases).allMatch(Lease::isValid);
        leases.forEach(Lease::close);
        assertThat(events(LockEvent.Lost.class)).isEmpty();
    }

    @Test
    void aRenewalBeforeItsTimeThatIsNotAnsweredDoesNotKeepTheTimerBusy() throws InterruptedException {
        Holdfast c = client("c", options -> options.lease(Duration.ofMillis(900)));
        Lease lease = c.lock("short").acquire();
        // due between the two times at which the first may be renewed again
        Lease other = c.lock("other", LockOptions.defaults().withLease(Duration.ofMillis(630)))
                .acquire();
        faults(c).next(Operation.RENEW, Fault.DROP_REPLY);
        sim.runFor(Duration.ofMillis(30));
        SimThread asker = start("asker", () -> lease.ensureValid(Duration.ofMillis(880)));
        sim.runFor(Duration.ofMillis(250));
        sim.runUntil(asker::done, LONG);
        assertThatThrownBy(asker::join).hasCauseInstanceOf(StoreUnavailableException.class);
        assertThat(lease.isValid()).isTrue();
        lease.close();
        other.close();
    }

    @Test
    void oneLostNameDoesNotDisturbTheOthers() throws InterruptedException {
        List<Lease> leases = acquireMany(20);
        faults(a).next(Operation.SIGNAL, Fault.DROP_SIGNAL);
        b.lock("n7").forceUnlock();
        sim.runFor(Duration.ofMinutes(2));
        for (int i = 0; i < 20; i++) {
            assertThat(leases.get(i).isValid()).as("n" + i).isEqualTo(i != 7);
        }
        assertThat(events(LockEvent.Lost.class))
                .extracting(LockEvent.Lost::name)
                .containsExactly("n7");
        assertThatThrownBy(() -> leases.get(7).close()).isInstanceOf(LeaseLostException.class);
        leases.forEach(Lease::close);
    }

    @Test
    void aListenerThatThrowsOrBlocksDoesNotDisturbRenewal() throws InterruptedException {
        Holdfast c = client(
                "c",
                options -> options.listener(event -> {
                    sim.sleep(Duration.ofMinutes(1));
                    throw new IllegalStateException("a bad listener");
                }));
        Lease lease = c.lock("n").acquire();
        Lease lost = c.lock("lost").acquire().onLost(loss -> {
            sim.sleep(Duration.ofMinutes(1));
            throw new IllegalStateException("a bad action");
        });
        b.lock("lost").forceUnlock();
        sim.runFor(Duration.ofMinutes(5));
        assertThat(lease.isValid()).isTrue();
        assertThatThrownBy(lost::close).isInstanceOf(LeaseLostException.class);
        lease.close();
    }

    @Test
    void aCallbackExecutorThatRejectsDisturbsNothing() throws InterruptedException {
        Holdfast c = client(
                "c",
                options -> options.callbackExecutor(task -> {
                    throw new RejectedExecutionException("full");
                }));
        List<String> told = new ArrayList<>();
        Lease lost = c.lock("lost").acquire().onLost(loss -> told.add(loss.name()));
        Lease kept = c.lock("kept").acquire();
        Lease async = sim.await(c.lock("async").async().acquire());
        b.lock("lost").forceUnlock();
        sim.runFor(Duration.ofMinutes(2));
        assertThat(told).containsExactly("lost");
        assertThat(kept.isValid()).isTrue();
        assertThat(async.isValid()).isTrue();
        assertThat(c.lock("lost").tryLock()).isTrue();
        c.lock("lost").unlock();
        assertThatThrownBy(lost::close).isInstanceOf(LeaseLostException.class);
        kept.close();
        async.close();
    }

    @Test
    void anUnansweredRenewalOfAShortLeaseIsRepeatedInTime() throws InterruptedException {
        Lease brief = a.lock("brief", LockOptions.defaults().withLease(Duration.ofSeconds(1)))
                .acquire();
        for (int i = 0; i < 20; i++) {
            faults(a).next(Operation.RENEW, Fault.DROP_REQUEST);
            sim.runFor(Duration.ofSeconds(1));
            assertThat(brief.isValid()).as("renewal " + i).isTrue();
        }
        brief.close();
    }

    @Test
    void aDeadThreadIsNotRenewedNorIsItsHoldHandedOn() {
        DistributedLock lock = a.lock("n");
        faults(a).next(Operation.ACQUIRE, Fault.DELAY_REPLY);
        SimThread dying = start("dying", () -> {
            lock.lock();
            sim.sleep(Duration.ofSeconds(5));
        });
        sim.runFor(Duration.ofSeconds(4));
        SimThread next = start("next", () -> {
            lock.lock();
            lock.unlock();
        });
        sim.runFor(Duration.ofSeconds(11));
        List<LockEvent.Abandoned> abandoned = events(LockEvent.Abandoned.class);
        assertThat(abandoned).hasSize(1);
        assertThat(abandoned.get(0).owner()).contains("dying");
        assertThat(abandoned.get(0).acquiredAt()).contains("recordPlaces is off");
        assertThat(next.done()).as("its lease runs out first, as after a crash").isFalse();
        sim.runUntil(next::done, Duration.ofSeconds(31));
        dying.join();
        next.join();
    }

    @Test
    void aForgottenLeaseIsNotRenewed() throws InterruptedException {
        forget();
        for (int i = 0; i < 50 && events(LockEvent.Abandoned.class).isEmpty(); i++) {
            System.gc();
            sim.runFor(Duration.ofSeconds(11));
        }
        assertThat(events(LockEvent.Abandoned.class)).hasSize(1);
        sim.runFor(LEASE);
        assertThat(b.lock("n").tryLock()).isTrue();
        b.lock("n").unlock();
    }

    @Test
    void aForgottenLeaseOfAFutureIsNotRenewed() {
        forgetFuture();
        for (int i = 0; i < 50 && events(LockEvent.Abandoned.class).isEmpty(); i++) {
            System.gc();
            sim.runFor(Duration.ofSeconds(11));
        }
        assertThat(events(LockEvent.Abandoned.class)).hasSize(1);
        sim.runFor(LEASE);
    }

    private void forgetFuture() {
        assertThat(sim.await(a.lock("n").async().tryAcquire(Duration.ofHours(1))))
                .isPresent();
    }

    private void forget() throws InterruptedException {
        Lease lease = a.lock("n").acquire();
        lease.onLost(loss -> lease.close());
    }

    @Test
    void aHoldThatLastsTooLongIsReportedWithTheStackOfItsThread() {
        DistributedLock lock = a.lock("n", LockOptions.defaults().withMaxHold(Duration.ofSeconds(5)));
        SimThread slow = start("slow", () -> {
            lock.lock();
            sim.sleep(Duration.ofSeconds(30));
            lock.unlock();
        });
        slow.join();
        List<LockEvent.HeldTooLong> reports = events(LockEvent.HeldTooLong.class);
        assertThat(reports).hasSize(1);
        assertThat(reports.get(0).held()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(7));
        assertThat(reports.get(0).stack()).startsWith("\n    at ").contains("RenewalTest.");
        assertThat(events(LockEvent.Lost.class)).isEmpty();
    }

    @Test
    void eachLockIsRenewedForItsOwnLease() throws InterruptedException {
        Lease brief = a.lock("brief", LockOptions.defaults().withLease(Duration.ofMillis(300)))
                .acquire();
        Lease usual = a.lock("usual").acquire();
        sim.runFor(Duration.ofSeconds(20));
        assertThat(brief.isValid()).isTrue();
        assertThat(usual.isValid()).isTrue();
        assertThat(brief.remainingLease()).isLessThan(Duration.ofMillis(300));
        assertThat(b.inspect("brief").holder().orElseThrow().remainingLease())
                .isLessThanOrEqualTo(Duration.ofMillis(300));
        brief.close();
        usual.close();
    }
}
