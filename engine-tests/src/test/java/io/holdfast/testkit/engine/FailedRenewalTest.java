package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A batch of renewals of which the first fails, and the others do not. */
class FailedRenewalTest extends VirtualTime {

    private final List<Long> attempts = new ArrayList<>();
    private Effect effect = Effect.NOT_APPLIED;

    private final Holdfast c =
            client("c", options -> options.provider(provider(config -> new FirstAttemptFails(server.open(config)))));

    private final class FirstAttemptFails extends ForwardingStore {

        FirstAttemptFails(LockStore store) {
            super(store);
        }

        @Override
        public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
            boolean fails = attempts.isEmpty();
            if (batch.get(0).name().equals("n0")) {
                attempts.add(sim.nanoTime());
            }
            return super.renew(batch)
                    .thenApply(replies -> IntStream.range(0, batch.size())
                            .mapToObj(i -> fails && i == 0 ? failed() : replies.get(i))
                            .toList());
        }

        private Renew.Reply failed() {
            return new Renew.Failed(new StoreException(effect, "not now"));
        }
    }

    @Test
    void theOneThatFailedIsRepeatedAtOnceThoughAnotherIsNotDueForLong() throws InterruptedException {
        Lease first = c.lock("n0").acquire();
        Lease second = c.lock("n1").acquire();
        sim.runFor(Duration.ofSeconds(15));
        assertThat(attempts).hasSizeGreaterThanOrEqualTo(2);
        assertThat(Duration.ofNanos(attempts.get(1) - attempts.get(0))).isLessThan(Duration.ofMillis(200));
        first.close();
        second.close();
    }

    /** Something else is there: to ask again would change nothing. */
    @Test
    void theOneThatIsRefusedIsLostAtOnceAndNotRepeated() throws InterruptedException {
        effect = Effect.REFUSED;
        Lease first = c.lock("n0").acquire();
        List<Duration> told = new ArrayList<>();
        first.onLost(loss -> told.add(sim.elapsed()));
        sim.runFor(Duration.ofSeconds(15));
        assertThat(attempts).hasSize(1);
        assertThat(told).hasSize(1);
        assertThat(told.get(0)).isLessThan(Duration.ofSeconds(11));
        assertThat(b.lock("n0").tryLock()).as("while the owner may be at work").isFalse();
        assertThatThrownBy(first::close)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("its renewal was refused: not now");
        sim.runFor(Duration.ofMillis(100));
        b.lock("n0").tryAcquire().orElseThrow().close();
    }

    /** The store may still hold the tenure, and each of the readers may be at work until it closes its lease. */
    @Test
    void theLastOfSeveralReadersThatLostATenureFreesTheName() throws InterruptedException {
        effect = Effect.REFUSED;
        DistributedLock write = b.readWriteLock("n0").writeLock();
        Lease first = c.readWriteLock("n0").readLock().acquire();
        Lease second = c.readWriteLock("n0").readLock().acquire();
        sim.runFor(Duration.ofSeconds(15));
        assertThat(List.of(first.isValid(), second.isValid())).containsOnly(false);
        assertThatThrownBy(first::close).isInstanceOf(LeaseLostException.class);
        sim.runFor(Duration.ofMillis(100));
        assertThat(write.tryLock()).as("while a reader may be at work").isFalse();
        assertThatThrownBy(second::close).isInstanceOf(LeaseLostException.class);
        sim.runFor(Duration.ofMillis(100));
        assertThat(write.tryLock()).isTrue();
        write.unlock();
    }
}
