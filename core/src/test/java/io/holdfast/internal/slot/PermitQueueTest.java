package io.holdfast.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.internal.access.Durations;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Waiters for permits whose time ends at the moment of an answer. */
class PermitQueueTest {

    private static final long DEADLINE = 10;

    private final AtomicLong numbers = new AtomicLong();
    private final PermitQueue queue = new PermitQueue(
            "n", BargingSlotModelCheckingTest.CONFIG, () -> new TenureId("c", numbers.incrementAndGet()), served -> {});
    private final Effect.Buffer out = new Effect.Buffer();
    private final Waiter first = waiter(0, DEADLINE);

    private static Waiter waiter(long now, long deadline) {
        HoldSpec spec = BargingSlotModelCheckingTest.SPEC.withShare(Share.permits(1));
        return new Waiter(spec, now, deadline, Thread.currentThread(), null, () -> {});
    }

    private void arrives(Waiter waiter) {
        queue.locked(() -> queue.arrive(waiter, waiter.arrived, out));
        queue.locked(() -> queue.onSend(waiter.ticket(), waiter.arrived));
    }

    private void isRefused(Waiter waiter, long arrival, long now) {
        var refused = new Acquire.Refused(Duration.ofSeconds(30), arrival, List.of(), Optional.of("d:1"), 0, 1);
        Tenure.ClockSample sample = new Tenure.ClockSample(now, 0, 0, 1);
        queue.on((s, o) -> s.refused(waiter.ticket(), refused, sample, now, out));
    }

    private void fails(Waiter waiter, long now) {
        StoreException cause = new StoreException(StoreException.Effect.NOT_APPLIED, "unreachable");
        queue.on((s, o) -> s.failed(waiter.ticket(), cause, now, out));
    }

    private void isPolled(long now) {
        Effect.PollIn last = effects(Effect.PollIn.class).stream()
                .reduce((earlier, later) -> later)
                .orElseThrow();
        queue.on((s, o) -> s.poll(last, now, out));
    }

    private <T extends Effect> List<T> effects(Class<T> kind) {
        return out.effects().stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private long requestsFor(Waiter waiter) {
        return effects(Effect.Request.class).stream()
                .filter(request -> request.tenure() == waiter.ticket())
                .count();
    }

    private void assertNotified(Waiter waiter, Class<? extends Outcome> outcome) {
        assertThat(waiter.outcome).isInstanceOf(outcome);
        assertThat(effects(Effect.Notify.class)).contains(new Effect.Notify(waiter));
    }

    @BeforeEach
    void theFirstWaits() {
        arrives(first);
        isRefused(first, 5, 1);
        assertThat(first.outcome).isNull();
    }

    @Test
    void aNewcomerIsNotifiedByItsRefusal() {
        Waiter newcomer = waiter(2, DEADLINE);
        arrives(newcomer);
        queue.on((s, o) -> s.timeOut(newcomer, DEADLINE, out));
        assertThat(newcomer.outcome).as("an answer is awaited").isNull();
        isRefused(newcomer, 0, DEADLINE + 1);
        assertNotified(newcomer, Outcome.Busy.class);
        assertThat(first.outcome).isNull();
    }

    @Test
    void whenTheFirstIsRefusedTheNextAsks() {
        Waiter next = waiter(2, Durations.NEVER);
        arrives(next);
        isRefused(next, 0, 3);
        isPolled(4);
        queue.on((s, o) -> s.timeOut(first, DEADLINE, out));
        assertThat(first.outcome).as("an answer is awaited").isNull();
        isRefused(first, 5, DEADLINE + 1);
        assertNotified(first, Outcome.Busy.class);
        assertThat(requestsFor(next)).isEqualTo(2);
        assertThat(next.ticket().arrival).as("the turn of its client").isEqualTo(5);
    }

    /** The store has been unreachable for as long as the first tolerates, and for a moment for the next one. */
    @Test
    void whenThePatienceOfTheFirstEndsTheNextAsks() {
        Waiter patient = waiter(2, Durations.NEVER);
        arrives(patient);
        isRefused(patient, 0, 3);
        queue.on((s, o) -> s.withdraw(first, 4, out));
        fails(patient, 4);
        long outage = BargingSlotModelCheckingTest.CONFIG.outage();
        Waiter next = waiter(outage - TimeUnit.SECONDS.toNanos(1), Durations.NEVER);
        arrives(next);
        fails(next, next.arrived);
        isPolled(outage + 10);
        assertNotified(patient, Outcome.Failed.class);
        assertThat(next.outcome).isNull();
        assertThat(requestsFor(next)).isEqualTo(2);
    }
}
