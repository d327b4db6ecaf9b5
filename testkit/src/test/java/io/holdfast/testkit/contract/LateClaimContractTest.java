package io.holdfast.testkit.contract;

import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.testkit.SimulatedServer;
import io.holdfast.testkit.Simulation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/** The in-memory store, on a machine that stalls for longer than a claim window after the first release of a rule. */
class LateClaimContractTest extends StoreContract {

    private static final Duration STALL = Duration.ofMillis(1_300);

    @Override
    protected StoreHarness newHarness() {
        Simulation simulation = Simulation.of(1);
        SimulatedServer server = simulation.server("late");
        AtomicBoolean stalled = new AtomicBoolean();
        return new SimulatedHarness(
                simulation,
                "simulated:late",
                config -> new Stalled(server.open(config), simulation, stalled),
                server::wipe);
    }

    private static final class Stalled extends ForwardingStore {

        private final Platform.Timer timer;
        private final AtomicBoolean stalled;

        Stalled(LockStore store, Platform platform, AtomicBoolean stalled) {
            super(store);
            timer = platform.timer("stalls");
            this.stalled = stalled;
        }

        @Override
        public CompletionStage<Release.Reply> release(Release request) {
            CompletionStage<Release.Reply> reply = super.release(request);
            if (stalled.getAndSet(true)) {
                return reply;
            }
            CompletableFuture<Void> over = new CompletableFuture<>();
            timer.schedule(STALL.toNanos(), () -> over.complete(null));
            return over.thenCompose(done -> reply);
        }

        @Override
        public void close() {
            timer.close();
            super.close();
        }
    }
}
