package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Safety;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Clients that want their grants to be in different places. */
class SafetyTest extends VirtualTime {

    private static final Safety TWO = Safety.replicated(2);

    private CompletionStage<Void> replicas = CompletableFuture.completedStage(null);

    private final StoreProvider replicated = provider(config -> new Replicated(server.open(config), config.safety()));
    private final Holdfast c = client("c", options -> options.provider(replicated));
    private final Holdfast safe =
            client("safe", options -> options.provider(replicated).safety(TWO));

    /** A store whose grants count only when the replicas have them. */
    private final class Replicated extends ForwardingStore {

        private final Safety safety;

        Replicated(LockStore store, Safety safety) {
            super(store);
            this.safety = safety;
        }

        @Override
        public CompletionStage<Acquire.Reply> acquire(Acquire request) {
            return super.acquire(request)
                    .thenCompose(reply -> reply instanceof Acquire.Granted && !safety.equals(Safety.async())
                            ? replicas.thenApply(nothing -> reply)
                            : CompletableFuture.completedStage(unheard(safety, reply)));
        }
    }

    @Test
    void oneProcessMayHaveAClientForEach() throws Exception {
        CompletableFuture<Void> arrived = new CompletableFuture<>();
        replicas = arrived;
        Lease first = c.lock("n").acquire();
        CompletableFuture<Lease> next = safe.lock("n").async().acquire();
        sim.runFor(Duration.ofMillis(100));
        first.close();
        sim.runFor(Duration.ofMillis(100));
        assertThat(next).isNotDone();
        arrived.complete(null);
        sim.runFor(Duration.ofMillis(100));
        assertThat(next).isCompleted();
        assertThat(next.join().fencingToken()).isGreaterThan(first.fencingToken());
        next.join().close();
    }

    @Test
    void aStoreThatCannotDoItRefusesTheClient() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> client("refused", options -> options.safety(TWO)))
                .withMessage(
                        "safety replicated(2): a store of the scheme 'simulated' cannot wait for replicas or disks; "
                                + "remove it, or choose a store that can, such as Redis");
    }

    @Test
    void aLevelIsShownAsItIsWritten() {
        assertThat(List.of(Safety.async(), TWO, Safety.durable(), Safety.durable(2)))
                .map(Safety::toString)
                .containsExactly("async", "replicated(2)", "durable", "durable(2)");
    }
}
