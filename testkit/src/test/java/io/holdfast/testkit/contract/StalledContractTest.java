package io.holdfast.testkit.contract;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.testkit.SimulatedServer;
import io.holdfast.testkit.Simulation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The in-memory store, on a machine that stalls for longer than the first short lease of a rule, whenever it is requested. */
class StalledContractTest extends StoreContract {

    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration STALL = Duration.ofMillis(300);

    @Override
    protected StoreHarness newHarness() {
        Simulation simulation = Simulation.of(1);
        SimulatedServer server = simulation.server("stalled");
        return new SimulatedHarness(
                simulation, "simulated:stalled", config -> new Stalled(server.open(config), simulation), server::wipe);
    }

    private static final class Stalled extends ForwardingStore {

        private final Platform.Timer timer;

        Stalled(LockStore store, Platform platform) {
            super(store);
            timer = platform.timer("stalls");
        }

        @Override
        public CompletionStage<Acquire.Reply> acquire(Acquire request) {
            CompletionStage<Acquire.Reply> reply = super.acquire(request);
            if (request.lease().compareTo(SHORT) > 0) {
                return reply;
            }
            CompletableFuture<Acquire.Reply> late = new CompletableFuture<>();
            var unused = timer.schedule(
                    STALL.toNanos(),
                    () -> reply.whenComplete((answer, error) -> {
                        if (error == null) {
                            late.complete(answer);
                        } else {
                            late.completeExceptionally(error);
                        }
                    }));
            return late;
        }

        @Override
        public void close() {
            timer.close();
            super.close();
        }
    }
}
