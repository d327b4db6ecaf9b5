package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockEvent;
import io.holdfast.StoreUnavailableException;
import io.holdfast.recipes.MultiLease;
import io.holdfast.recipes.MultiLock;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreProvider;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.SimulatedServer;
import io.holdfast.testkit.check.LeakChecker;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A multi-lock over two stores that answer each acquire after 60 ms, with leases of 100 ms. */
class MultiSlowAnswersTest extends VirtualTime {

    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONGER = Duration.ofMillis(200);
    private static final Duration ANSWER = Duration.ofMillis(60);

    @RegisterExtension
    final LeakChecker leaks = new LeakChecker().simulation(sim);

    private final SimulatedServer otherServer = sim.server("t");
    private final Platform.Timer network = sim.timer("network");
    private final Holdfast slow = client("slow", options -> options.provider(slow(server)));
    private final Holdfast otherSlow = client("other-slow", options -> options.provider(slow(otherServer)));
    private final DistributedLock two =
            client("other", options -> options.uri("simulated:t")).lock("2");
    private final MultiLock both = MultiLock.of(slow.lock("1"), otherSlow.lock("2"));

    private StoreProvider slow(SimulatedServer asked) {
        return provider(config -> new Slow(asked.open(config)));
    }

    private final class Slow extends ForwardingStore {

        Slow(LockStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Acquire.Reply> acquire(Acquire request) {
            return super.acquire(request).thenCompose(this::late);
        }

        private CompletionStage<Acquire.Reply> late(Acquire.Reply reply) {
            CompletableFuture<Acquire.Reply> answer = new CompletableFuture<>();
            var unused = network.schedule(ANSWER.toNanos(), () -> answer.complete(reply));
            return answer;
        }
    }

    /** The first answer of a server tells its time only. */
    @BeforeEach
    void firstContact() {
        for (Holdfast client : List.of(slow, otherSlow)) {
            client.lock("0").lock();
            client.lock("0").unlock();
        }
    }

    @AfterEach
    void nothingIsLeft() {
        network.close();
        assertNothingIsLeft();
    }

    private void assertOutlasted(ThrowingCallable acquire) {
        SimThread caller = start("caller", () -> outlasted(acquire));
        sim.runFor(SECOND);
        assertThat(caller.done()).isTrue();
        caller.join();
    }

    private void assertOutlasted(CompletableFuture<?> future) {
        sim.runFor(SECOND);
        assertThat(future).isDone();
        outlasted(() -> sim.await(future));
    }

    private static void outlasted(ThrowingCallable acquire) {
        assertThatThrownBy(acquire)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContainingAll("'1'", "'2'", "120 ms", "longer lease");
    }

    @Test
    void aWaitWithoutEndFailsWhenTheAnswersOutlastTheLease() {
        assertOutlasted(() -> both.lock(SHORT));
        assertThat(calls(slow)).isLessThan(20);
    }

    @Test
    void aTimedWaitFailsWhenTheAnswersOutlastTheLease() {
        assertOutlasted(() -> both.tryLock(LONG, SHORT));
        assertOutlasted(() -> both.tryAcquire(LONG, SHORT));
        assertOutlasted(() -> both.tryAcquire(Duration.ZERO, SHORT));
        assertOutlasted(both.async().tryAcquire(LONG, SHORT));
        assertOutlasted(both.async().tryAcquire(Duration.ZERO, SHORT));
    }

    @Test
    void theEndOfTheWaitAfterSuchAnAttemptDoesNotBlameOthers() {
        assertOutlasted(() -> both.tryLock(Duration.ofMillis(300), SHORT));
        assertOutlasted(() -> both.tryAcquire(Duration.ofMillis(300), SHORT));
        assertOutlasted(both.async().tryAcquire(Duration.ofMillis(300), SHORT));
    }

    @Test
    void aMemberThatOthersHoldIsWaitedForAllTheSame() {
        two.lock();
        SimThread waiter =
                start("waiter", () -> assertThat(both.tryLock(SECOND, SHORT)).isFalse());
        CompletableFuture<Optional<MultiLease>> future = both.async().tryAcquire(SECOND, SHORT);
        sim.runFor(Duration.ofMillis(1_200));
        assertThat(waiter.done()).isTrue();
        waiter.join();
        assertThat(future).isCompletedWithValue(Optional.empty());
        two.unlock();
    }

    @Test
    void attemptsThatOthersHeldUpDoNotCountHoweverManyTheyAre() {
        SimThread other = start("other", () -> {
            for (int round = 0; round < 6; round++) {
                two.lock();
                sim.sleep(LONGER.multipliedBy(2));
                two.unlock();
            }
        });
        SimThread waiter = start("waiter", () -> {
            both.lock(LONGER);
            assertThat(other.done()).isTrue();
            both.unlock();
        });
        sim.runFor(Duration.ofSeconds(10));
        assertThat(waiter.done()).isTrue();
        waiter.join();
        assertThat(events(LockEvent.Lost.class)).hasSizeGreaterThan(4);
    }
}
