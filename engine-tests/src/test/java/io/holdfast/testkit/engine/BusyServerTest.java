package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Renew;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server that renews one lock after the other, and needs its time for each. */
@Tag("slow")
class BusyServerTest extends VirtualTime {

    private static final int LOCKS = 400;
    private static final long EACH_NANOS = 3_000_000;

    private final Platform.Timer timer = sim.timer("busy-server");
    private final Holdfast c = client(
            "c",
            options -> options.provider(provider(config -> new OneAfterTheOther(server.open(config))))
                    .lease(Duration.ofSeconds(3)));
    private int asked;
    private Optional<String> lost = Optional.empty();

    private final class OneAfterTheOther extends ForwardingStore {

        private long busyUntil = sim.nanoTime();

        OneAfterTheOther(LockStore store) {
            super(store);
        }

        @Override
        public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
            asked += batch.size();
            long now = sim.nanoTime();
            busyUntil = Math.max(now, busyUntil) + EACH_NANOS * batch.size();
            CompletableFuture<Void> turn = new CompletableFuture<>();
            if (lost.isPresent() && batch.stream().anyMatch(one -> one.name().equals(lost.get()))) {
                lost = Optional.empty();
                return turn.thenApply(never -> List.of());
            }
            timer.schedule(busyUntil - now, () -> turn.complete(null));
            return turn.thenCompose(itIs -> super.renew(batch));
        }
    }

    @AfterEach
    void end() {
        timer.close();
    }

    @Test
    void renewalsWhoseTurnIsToComeAreNotSentAgain() throws InterruptedException {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < LOCKS; i++) {
            leases.add(c.lock("n" + i).acquire());
        }
        sim.runFor(Duration.ofSeconds(30));
        assertThat(events(LockEvent.Lost.class)).isEmpty();
        assertThat(leases).allMatch(Lease::isValid);
        assertThat(asked).as("rounds of 1.2 s in 30 s").isLessThanOrEqualTo(LOCKS * 26);
        leases.forEach(Lease::close);
    }

    @Test
    void aLostRenewalIsSentAgainWhileLaterOnesAreAnswered() throws InterruptedException {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            leases.add(c.lock("n" + i).acquire());
            sim.runFor(Duration.ofMillis(110));
        }
        lost = Optional.of("n3");
        sim.runFor(Duration.ofSeconds(5));
        assertThat(lost).as("not lost yet").isEmpty();
        assertThat(events(LockEvent.Lost.class)).isEmpty();
        leases.forEach(Lease::close);
    }
}
