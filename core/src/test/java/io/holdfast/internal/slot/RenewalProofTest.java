package io.holdfast.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.internal.access.Durations;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A renewal that is confirmed after a step of the clock, while a late duplicate of the acquire may still be applied. The tenure
 * may have ended, and the duplicate may have created it again, after another client held the name.
 */
class RenewalProofTest {

    private static final HoldSpec SPEC = BargingSlotModelCheckingTest.SPEC;
    private static final Duration LEASE = SPEC.lease();
    private static final long WALL_MILLIS = 5_000;
    private static final long MARGIN_MILLIS = 302;
    private static final long NOT_AFTER = 1_000;

    private final BargingSlot slot =
            new BargingSlot("n", Share.LOCK, BargingSlotModelCheckingTest.CONFIG, () -> new TenureId("c", 1));
    private final Effect.Buffer out = new Effect.Buffer();
    private Tenure held = new Tenure(new TenureId("c", 0), Share.LOCK);

    /** Acquires the lock. One of two copies of the request has no answer. */
    @BeforeEach
    void acquire() {
        Waiter waiter = new Waiter(SPEC, 0, Durations.NEVER, Thread.currentThread(), null, () -> {});
        slot.locked(() -> slot.arrive(waiter, 0, out));
        held = Objects.requireNonNull(slot.tenure());
        held.countCopy(NOT_AFTER, SPEC);
        held.countCopy(NOT_AFTER - 1, SPEC);
        held.copies.answered();
        var granted = new Acquire.Granted(new TokenBlock(1, 100), LEASE, 0, List.of(), 0, 1);
        slot.on((s, o) -> s.granted(held, granted, Validity.of(0, WALL_MILLIS, SPEC.nanos(), SPEC.nanos()), 0, o));
        assertThat(slot.owner()).isNotNull();
    }

    private static Validity afterAStep(long millis) {
        return Validity.of(0, WALL_MILLIS + millis, SPEC.nanos(), SPEC.nanos());
    }

    private static Renew.Renewed renewedAt(long serverMicros) {
        return new Renew.Renewed(LEASE, 0, Optional.empty(), serverMicros);
    }

    private boolean proves(long serverMicros, long stepMillis) {
        return Slot.proves(held, renewedAt(serverMicros), afterAStep(stepMillis));
    }

    @Test
    void provesNothingUntilTheDuplicateIsTooLate() {
        assertThat(proves(NOT_AFTER, MARGIN_MILLIS + 1)).isFalse();
        assertThat(proves(NOT_AFTER, -MARGIN_MILLIS - 1)).isFalse();
        assertThat(proves(NOT_AFTER + 1, MARGIN_MILLIS + 1)).isTrue();
    }

    @Test
    void provesTheHoldIfTheClocksAgree() {
        assertThat(proves(NOT_AFTER, MARGIN_MILLIS)).isTrue();
        assertThat(proves(NOT_AFTER, 0)).isTrue();
    }

    @Test
    void provesTheHoldIfEachCopyIsAnswered() {
        held.copies.answered();
        assertThat(proves(NOT_AFTER, MARGIN_MILLIS + 1)).isTrue();
    }

    @Test
    void isRepeatedSoonIfItProvesNothing() {
        Validity before = held.validity;
        long now = TimeUnit.MILLISECONDS.toNanos(1);
        slot.on((s, o) -> s.renewed(held, renewedAt(NOT_AFTER), afterAStep(60_000), SPEC, now, o));
        assertThat(held.validity).isEqualTo(before);
        assertThat(held.renewDue - now).isBetween(1L, Slot.MAX_BACKOFF_NANOS);
        slot.on((s, o) -> s.renewed(held, renewedAt(NOT_AFTER + 1), afterAStep(60_000), SPEC, now, o));
        assertThat(held.validity).isEqualTo(afterAStep(60_000));
    }
}
