package io.holdfast.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.internal.access.Durations;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** An assignment that was taken back before the answer to the call under way does not void that answer. */
class RevokedAssignmentTest {

    private static final long SERVER_MICROS = 1_000_000;
    private static final long RUN = 7;
    private static final Signal.Assigned ASSIGNED = new Signal.Assigned(
            "n", new TenureId("c", 1), Mode.LOCK, new TokenBlock(1, 100), 0, 0, SERVER_MICROS + 900_000, RUN);

    private final BargingSlot slot =
            new BargingSlot("n", Share.LOCK, BargingSlotModelCheckingTest.CONFIG, () -> new TenureId("c", 1));
    private final Waiter waiter =
            new Waiter(BargingSlotModelCheckingTest.SPEC, 0, Durations.NEVER, null, null, () -> {});

    private void answered(boolean revoked) {
        Effect.Buffer out = new Effect.Buffer();
        slot.locked(() -> slot.arrive(waiter, 0, out));
        Tenure asked = Objects.requireNonNull(slot.tenure());
        slot.locked(() -> slot.assigned(ASSIGNED, 1, out));
        if (revoked) {
            slot.on((s, o) -> s.revoked(asked.id, 1, o));
        }
        var refused = new Acquire.Refused(Duration.ofSeconds(30), 5, List.of(), Optional.of("d:1"), SERVER_MICROS, RUN);
        slot.on((s, o) -> s.refused(asked, refused, new Tenure.ClockSample(0, 0, SERVER_MICROS, RUN), 2, o));
    }

    @Test
    void isNotUsed() {
        answered(true);
        assertThat(waiter.outcome).isNull();
    }

    @Test
    void oneThatStandsIsUsed() {
        answered(false);
        assertThat(waiter.outcome).isInstanceOf(Hold.class);
    }
}
