package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.Signal;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A name that others may have freed, without choosing who comes next: all who wait ask again. */
class OpenedTest extends VirtualTime {

    /** What its client hears, for a test to say. */
    private Consumer<Signal> signals = signal -> {};

    private final Holdfast c = hearing("c", told -> signals = told);

    private void opened() {
        signals.accept(new Signal.Opened("n"));
        sim.runReady();
    }

    private DistributedLock lock(Holdfast client, boolean fair) {
        return fair ? client.fairLock("n") : client.lock("n");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoWaitsAsksAgain(boolean fair) throws InterruptedException {
        Lease held = a.lock("n").acquire();
        CompletableFuture<Lease> waiting = lock(c, fair).async().acquire();
        sim.runReady();
        long before = calls(c);
        opened();
        assertThat(calls(c) - before).isEqualTo(1);
        held.close();
        sim.runUntil(waiting::isDone, LONG);
        waiting.join().close();
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoIsAskingAsksOnceMore(boolean fair) throws InterruptedException {
        Lease held = a.lock("n").acquire();
        CompletableFuture<Lease> waiting = lock(c, fair).async().acquire();
        sim.runReady();
        Held reply = faults(c).holdReply(Operation.ACQUIRE);
        opened();
        long before = calls(c);
        opened();
        opened();
        assertThat(calls(c) - before).isZero();
        reply.letGo();
        sim.runReady();
        assertThat(calls(c) - before).isEqualTo(1);
        held.close();
        sim.runUntil(waiting::isDone, LONG);
        waiting.join().close();
        assertNothingIsLeft();
    }

    @Test
    void whoHasItOrDoesNotWaitDoesNothing() throws InterruptedException {
        long none = calls(c);
        opened();
        assertThat(calls(c)).isEqualTo(none);
        Lease held = c.fairLock("n").acquire();
        CompletableFuture<Lease> waiting = c.fairLock("n").async().acquire();
        sim.runReady();
        long before = calls(c);
        opened();
        assertThat(calls(c)).isEqualTo(before);
        held.close();
        sim.runUntil(waiting::isDone, LONG);
        waiting.join().close();
        assertNothingIsLeft();
    }
}
