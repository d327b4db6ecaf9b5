package io.holdfast.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.OnMaxHold;
import io.holdfast.internal.access.Durations;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Share;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The lease for which a tenure is renewed. */
class RenewalSpecTest {

    private static final HoldSpec LASTING = HoldSpec.renewed(
            Duration.ofMinutes(5), MaxHold.of(Optional.empty(), OnMaxHold.WARN), HoldSpec.Waiting.BARGING);

    private final BargingSlot slot =
            new BargingSlot("n", Share.LOCK, BargingSlotModelCheckingTest.CONFIG, () -> new TenureId("c", 1));

    private Waiter arrive() {
        Waiter waiter = new Waiter(LASTING, 0, Durations.NEVER, Thread.currentThread(), null, () -> {});
        slot.on((s, out) -> s.arrive(waiter, 0, out));
        return waiter;
    }

    @Test
    void whatIsFreeForANextOwnerIsRenewedForThatOwner() {
        Waiter first = arrive();
        Tenure asked = Objects.requireNonNull(slot.tenure());
        var granted = new Acquire.Granted(new TokenBlock(1, 100), Duration.ofSeconds(30), 0, List.of(), 0, 1);
        slot.on((s, out) -> s.granted(asked, granted, Validity.of(0, 0, LASTING.nanos()), 0, out));
        arrive();
        slot.on((s, out) -> s.release((Hold) Objects.requireNonNull(first.outcome), 0, out));

        assertThat(slot.owner()).isNull();
        assertThat(asked.held()).isTrue();
        assertThat(slot.renewalSpec(asked, 0)).isEqualTo(LASTING);
    }
}
