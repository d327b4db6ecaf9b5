package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.Permit;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.Signal;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.faults.Fault;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Signals that may have been missed. */
class GapTest extends VirtualTime {

    /** What its client hears, for a test to say. */
    private Consumer<Signal> signals = signal -> {};

    private final Holdfast c = hearing("c", told -> signals = told);

    private long renewalsAfter(Signal signal) {
        long before = c.stats().renewals();
        signals.accept(signal);
        sim.runFor(Duration.ofMillis(100));
        return c.stats().renewals() - before;
    }

    /** Has two threads hand a lock over to each other for 100 ms, and returns how often signals were confirmed. */
    private int confirmations(boolean withGap) {
        AtomicInteger confirmed = new AtomicInteger();
        Holdfast d = client(
                "d",
                options -> options.provider(provider(config -> new ForwardingStore(server.open(config)) {
                    @Override
                    public CompletionStage<Void> confirmSignals() {
                        return super.confirmSignals().thenRun(() -> {
                            if (confirmed.getAndIncrement() == 0 && withGap) {
                                config.signals().accept(new Signal.Gap());
                            }
                        });
                    }
                })));
        Duration end = sim.elapsed().plusMillis(100);
        SimThread.Body work = () -> {
            while (sim.elapsed().compareTo(end) < 0) {
                d.lock("shared").lock();
                sim.sleep(Duration.ofMillis(1));
                d.lock("shared").unlock();
            }
        };
        SimThread one = start("one", work);
        SimThread two = start("two", work);
        one.join();
        two.join();
        return confirmed.get();
    }

    @Test
    void aConfirmationDuringAGapCountsForNothing() {
        assertThat(confirmations(false)).isEqualTo(1);
        assertThat(confirmations(true)).isEqualTo(2);
    }

    @Test
    void whatIsHeldOfItsNamesIsVerified() throws InterruptedException {
        Lease one = c.lock("one").acquire();
        Lease other = c.lock("other").acquire();
        Lease third = c.fairLock("third").acquire();
        assertThat(renewalsAfter(new Signal.Gap("one"::equals))).isEqualTo(1);
        assertThat(renewalsAfter(new Signal.Gap())).isEqualTo(3);
        one.close();
        other.close();
        third.close();
    }

    /** Each message to the waiters is lost, and their next poll is far away. */
    @Test
    void whatIsWaitedForIsRequestedAgain() throws InterruptedException {
        Holdfast d = client(
                "d",
                options -> options.pollInterval(Duration.ofSeconds(20)).provider(provider(config -> {
                    signals = config.signals();
                    return server.open(config);
                })));
        b.semaphore("p").trySetPermits(1);
        List<Lease> held = List.of(b.lock("n").acquire(), b.fairLock("fair").acquire());
        Permit permit = b.semaphore("p").acquire();
        List<CompletableFuture<Void>> waiting = List.of(
                d.lock("n").async().acquire().thenAccept(Lease::close),
                d.fairLock("fair").async().acquire().thenAccept(Lease::close),
                d.semaphore("p").async().acquire().thenAccept(Permit::close));
        sim.runFor(Duration.ofMillis(100));
        faults(d).probability(Fault.DROP_SIGNAL, 1.0);
        held.forEach(Lease::close);
        permit.close();
        sim.runFor(Duration.ofMillis(100));
        assertThat(waiting).noneMatch(CompletableFuture::isDone);

        signals.accept(new Signal.Gap());
        sim.runFor(Duration.ofMillis(10));

        assertThat(waiting).allSatisfy(waiter -> assertThat(waiter).isCompleted());
    }

    @Test
    void aHoldWithALeaseOfItsOwnIsVerifiedToo() throws InterruptedException {
        Lease own =
                c.lock("own").tryAcquire(Duration.ZERO, Duration.ofSeconds(20)).orElseThrow();
        server.wipe();
        signals.accept(new Signal.Gap());
        sim.runFor(Duration.ofMillis(100));
        assertThat(own.isValid()).isFalse();
        assertThat(events(LockEvent.Lost.class)).hasSize(1);
        assertThatThrownBy(own::close).isInstanceOf(LeaseLostException.class);
    }
}
