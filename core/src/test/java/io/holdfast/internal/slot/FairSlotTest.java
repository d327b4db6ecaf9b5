package io.holdfast.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.internal.access.Durations;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A grant to a ticket that was withdrawn during its request. */
class FairSlotTest {

    private static final HoldSpec SPEC = BargingSlotModelCheckingTest.SPEC;

    private final AtomicLong numbers = new AtomicLong();
    private final FairSlot slot = new FairSlot(
            "n", Share.LOCK, BargingSlotModelCheckingTest.CONFIG, () -> new TenureId("c", numbers.incrementAndGet()));
    private final Effect.Buffer out = new Effect.Buffer();
    private final Waiter first = waiter(0);
    private final Waiter next = waiter(1);

    private static Waiter waiter(long now) {
        return new Waiter(SPEC, now, Durations.NEVER, Thread.currentThread(), null, () -> {});
    }

    private void isGranted(Tenure ticket, long block) {
        var granted = new Acquire.Granted(new TokenBlock(block, block), Duration.ofSeconds(30), 0, List.of(), 0, 1);
        slot.on((s, o) -> s.granted(ticket, granted, Validity.of(0, 0, SPEC.nanos(), SPEC.nanos()), 3, out));
    }

    private List<Tenure> requested() {
        return out.effects().stream()
                .filter(Effect.Request.class::isInstance)
                .map(effect -> ((Effect.Request) effect).tenure())
                .toList();
    }

    @BeforeEach
    void theFirstLeavesDuringItsRequest() {
        for (Waiter waiter : List.of(first, next)) {
            slot.locked(() -> slot.arrive(waiter, waiter.arrived, out));
        }
        slot.locked(() -> slot.onSend(first.ticket(), 1));
        slot.on((s, o) -> s.withdraw(first, 2, out));
        assertThat(requested()).containsExactly(first.ticket());
        assertThat(out.effects()).hasAtLeastOneElementOfType(Effect.Settle.class);
    }

    @Test
    void theNextAsks() {
        isGranted(first.ticket(), 1);
        assertThat(requested()).containsExactly(first.ticket(), next.ticket());
    }

    @Test
    void aGrantThatArrivesLateTakesNothingFromTheOwner() {
        StoreException noAnswer = new StoreException(StoreException.Effect.UNKNOWN, "no answer");
        slot.on((s, o) -> s.failed(first.ticket(), noAnswer, 3, out));
        isGranted(next.ticket(), 2);
        assertThat(next.outcome).isInstanceOf(Hold.class);

        isGranted(first.ticket(), 1);

        assertThat(slot.owner()).isSameAs(next.outcome);
        assertThat(out.effects()).doesNotHaveAnyElementsOfTypes(Effect.Lost.class);
    }
}
