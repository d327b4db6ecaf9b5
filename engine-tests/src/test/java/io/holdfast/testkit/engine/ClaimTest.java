package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.spi.Signal;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Held;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The lease that a hold has after it was passed on: by an assignment between clients, or by a handoff inside one. */
class ClaimTest extends VirtualTime {

    private static final Duration CLAIM = Duration.ofSeconds(1);

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
    }

    private CompletableFuture<Lease> waiting(Holdfast client, boolean fair) {
        return (fair ? client.fairLock("n") : client.lock("n")).async().acquire();
    }

    /**
     * The name was assigned to a waiter that is stopped for longer than the claim lasts, 10 ms after it got it. The watchdog looks
     * at all that its client holds once a second, and has just done so.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aStallOfTheProcessLosesAnAssignedHoldInItsFirstMillisecondsOnly(boolean fair) throws InterruptedException {
        Lease other = b.lock("other").acquire();
        sim.runFor(Duration.ofMillis(1_100));
        Lease first = a.lock("n").acquire();
        CompletableFuture<Lease> second = waiting(b, fair);
        sim.runFor(Duration.ofMillis(10));
        first.close();
        sim.runFor(Duration.ofMillis(10));
        assertThat(second).isCompleted();
        faults(b).outage(true);
        sim.runFor(Duration.ofMillis(1_500));
        faults(b).outage(false);
        assertThat(second.join().isValid()).isTrue();
        second.join().close();
        other.close();
        assertThat(events(LockEvent.Lost.class)).isEmpty();
    }

    /** The server's clock runs one percent faster than the client's while the client waits for its next poll. */
    @Test
    void aClaimIsShorterByTheDriftOfTheClocksSinceTheLastPoll() throws InterruptedException {
        Duration poll = Duration.ofSeconds(10);
        Holdfast c = client("c", options -> options.pollInterval(poll));
        Lease first = a.lock("n").acquire();
        CompletableFuture<Lease> second = c.lock("n").async().acquire();
        sim.runFor(Duration.ofSeconds(8));
        server.stepClock(Duration.ofMillis(80));
        faults(c).probability(Fault.DROP_REQUEST, 1.0);
        first.close();
        sim.runUntil(second::isDone, Duration.ofMillis(1));
        assertThat(second.join().remainingLease()).isBetween(Duration.ofMillis(850), CLAIM);
        faults(c).probability(Fault.DROP_REQUEST, 0.0);
        sim.runFor(Duration.ofSeconds(1));
        second.join().close();
    }

    /** Less than half of the claim window is left when the message arrives, whatever the window of the store is. */
    @Test
    void aClaimThatCameLateIsRenewedAtOnce() throws InterruptedException {
        UnaryOperator<HoldfastBuilder> options =
                builder -> builder.uri("simulated:t?claimWindow=2000").pollInterval(Duration.ofSeconds(10));
        Holdfast c = client("c", options);
        Holdfast d = client("d", options);
        Lease first = c.lock("n").acquire();
        CompletableFuture<Lease> second = d.lock("n").async().acquire();
        sim.runFor(Duration.ofMillis(10));
        Held assigned = sim.server("t?claimWindow=2000")
                .connection(d.clientId())
                .faults()
                .holdSignal(Signal.Assigned.class);
        first.close();
        sim.runFor(Duration.ofMillis(1_200));
        assigned.letGo();
        sim.runReady();
        assertThat(second).isCompleted();
        assertThat(d.stats().renewals()).isEqualTo(1);
        second.join().close();
    }

    /** A waiter whose lease is long gets the name from an owner of its client whose lease is short. */
    @Test
    void aHandoffGivesTheNextOwnerItsOwnLease() {
        var brief = a.lock("n", LockOptions.defaults().withLease(Duration.ofSeconds(1)));
        var lasting = a.lock("n", LockOptions.defaults().withLease(Duration.ofSeconds(60)));
        brief.lock();
        SimThread next = start("next", () -> {
            lasting.lock();
            faults(a).outage(true);
            assertThat(lasting.remainingLease()).isGreaterThan(Duration.ofSeconds(20));
            sim.sleep(Duration.ofSeconds(2));
            assertThat(lasting.isValid()).isTrue();
            faults(a).outage(false);
            lasting.unlock();
        });
        sim.runFor(Duration.ofMillis(100));
        brief.unlock();
        next.join();
    }
}
