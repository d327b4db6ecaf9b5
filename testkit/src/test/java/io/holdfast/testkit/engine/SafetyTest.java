package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Safety;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.TogetherStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Clients that want their grants to be in different places. */
class SafetyTest extends VirtualTime {

    private static final Safety TWO = Safety.replicated(2);

    private final List<String> asked = new ArrayList<>();
    private CompletionStage<Void> replicas = CompletableFuture.completedStage(null);

    private final StoreProvider recorded = provider(config -> new Recorder(server.open(config)));
    private final Holdfast c = client("c", options -> options.provider(recorded));
    private final Holdfast safe = client("safe", options -> options.provider(recorded).safety(TWO));

    /** Notes what is wanted; what wants replicas is done when they are there. */
    private final class Recorder extends ForwardingStore {

        Recorder(LockStore store) {
            super(store);
        }

        private <T> CompletionStage<T> noted(String what, Safety safety, CompletionStage<T> reply) {
            asked.add(what + " " + safety);
            return safety.equals(Safety.async())
                    ? reply
                    : reply.thenCompose(value -> replicas.thenApply(nothing -> value));
        }

        /** The first request to a server comes too late, as its time is not known yet. */
        @Override
        public CompletionStage<Acquire.Reply> acquire(Acquire request) {
            return super.acquire(request)
                    .thenCompose(reply -> reply instanceof Acquire.Late
                            ? CompletableFuture.completedStage(reply)
                            : noted(
                                    "acquire " + request.name(),
                                    reply instanceof Acquire.Granted ? request.safety() : Safety.async(),
                                    CompletableFuture.completedStage(unheard(request, reply))));
        }

        @Override
        public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
            Safety safety = batch.get(0).safety();
            return noted("renew " + batch.get(0).name(), safety, super.renew(batch));
        }

        @Override
        public Optional<TogetherStore> together() {
            return Optional.empty();
        }
    }

    @Test
    void acquiresAndRenewalsCarryIt() throws InterruptedException {
        Lease lease = safe.lock("n").acquire();
        Lease plain = c.lock("plain").acquire();
        assertThat(asked).containsExactly("acquire n replicated(2)", "acquire plain async");
        plain.close();
        sim.runFor(LEASE.dividedBy(2));
        assertThat(asked).contains("renew n replicated(2)").doesNotContain("renew n async");
        lease.close();
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
        assertThat(next.join().token()).isGreaterThan(first.token());
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
