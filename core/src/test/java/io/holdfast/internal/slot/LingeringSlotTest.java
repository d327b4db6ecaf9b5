package io.holdfast.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.OnMaxHold;
import io.holdfast.internal.access.Durations;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A kept tenure whose time has passed before any timer ran, as after a pause of the process. */
class LingeringSlotTest {

    private static final long LEASE = 30_000_000_000L;
    private static final HoldSpec SPEC = HoldSpec.renewed(
                    Duration.ofNanos(LEASE), MaxHold.of(Optional.empty(), OnMaxHold.WARN), HoldSpec.Waiting.BARGING)
            .withLinger(Duration.ofSeconds(10));

    private final LingeringSlot slot = new LingeringSlot(
            "n",
            BargingSlotModelCheckingTest.CONFIG,
            () -> new TenureId("c", 1),
            new LingerBackoff(1_000_000_000, name -> false));

    @BeforeEach
    void keep() {
        slot.on((s, out) -> s.arrive(waiter(0), 0, out));
        Tenure asked = Objects.requireNonNull(slot.tenure());
        assertThat(asked.id.lingers()).isTrue();
        var granted = new Acquire.Granted(new TokenBlock(1, 100), Duration.ofSeconds(30), 0, List.of(), 0, 1);
        slot.on((s, out) -> s.granted(asked, granted, Validity.of(0, 0, LEASE, LEASE), 0, out));
        Hold hold = Objects.requireNonNull(slot.owner());
        assertThat(effects((s, out) -> s.release(hold, 0, out))).hasOnlyElementsOfType(Effect.Watch.class);
        assertThat(slot.lingering()).isPresent();
    }

    private static Waiter waiter(long now) {
        return new Waiter(SPEC, now, Durations.NEVER, Thread.currentThread(), null, () -> {});
    }

    private List<Effect> effects(BiConsumer<Slot, Effect.Buffer> event) {
        return slot.on(event).effects();
    }

    private static List<String> kinds(List<Effect> effects) {
        return effects.stream().map(effect -> effect.getClass().getSimpleName()).toList();
    }

    @Test
    void itIsTakenAgainWithTheNextToken() {
        Waiter next = waiter(1);
        assertThat(kinds(effects((s, out) -> s.arrive(next, 1, out)))).containsOnly("Watch");
        assertThat(((Hold) Objects.requireNonNull(next.outcome)).token).isEqualTo(2);
        assertThat(slot.lingering()).isEmpty();
    }

    @Test
    void whatHasExpiredIsGivenUpWithoutALoss() {
        Tenure tenure = Objects.requireNonNull(slot.tenure());
        assertThat(kinds(effects((s, out) -> s.expire(tenure, LEASE, out)))).containsExactly("Settle", "Retired");
    }

    @Test
    void whatHasExpiredIsNotTakenAgain() {
        Waiter next = waiter(LEASE);
        assertThat(kinds(effects((s, out) -> s.arrive(next, LEASE, out)))).containsExactly("Settle", "Request");
        assertThat(next.outcome).isNull();
    }

    @Test
    void whatIsNotLongEnoughToBeUsedIsNotTakenAgain() {
        long late = LEASE / 3 * 2;
        assertThat(kinds(effects((s, out) -> s.arrive(waiter(late), late, out))))
                .containsExactly("Settle", "Request");
    }

    @Test
    void aLossThatIsFoundByARenewalIsToldToNobody() {
        Tenure tenure = Objects.requireNonNull(slot.tenure());
        assertThat(kinds(effects((s, out) -> s.renewalLost(tenure, "gone", 1, out))))
                .doesNotContain("Lost");
        assertThat(slot.lingering()).isEmpty();
        assertThat(slot.tenure()).isNull();
    }
}
