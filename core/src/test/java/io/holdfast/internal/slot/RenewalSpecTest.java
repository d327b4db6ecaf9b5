package io.holdfast.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The lease for which a tenure is renewed. */
class RenewalSpecTest {

    private static final HoldSpec LASTING = HoldSpec.renewed(
            Duration.ofMinutes(5), MaxHold.of(Optional.empty(), OnMaxHold.WARN), HoldSpec.Waiting.BARGING);

    private final BargingSlot slot =
            new BargingSlot("n", Share.LOCK, BargingSlotModelCheckingTest.CONFIG, () -> new TenureId("c", 1));

    private Waiter arrive() {
        return arrive(LASTING);
    }

    private Waiter arrive(HoldSpec spec) {
        Waiter waiter = new Waiter(spec, 0, Durations.NEVER, Thread.currentThread(), null, () -> {});
        slot.on((s, out) -> s.arrive(waiter, 0, out));
        return waiter;
    }

    private Tenure granted(HoldSpec spec) {
        return granted(spec, spec.nanos());
    }

    private Tenure granted(HoldSpec spec, long confirmed) {
        Tenure asked = Objects.requireNonNull(slot.tenure());
        var granted = new Acquire.Granted(new TokenBlock(1, 1_000_000), Duration.ofSeconds(30), 0, List.of(), 0, 1);
        slot.on((s, out) -> s.granted(asked, granted, Validity.of(0, 0, spec.nanos(), confirmed), 0, out));
        return asked;
    }

    @Test
    void whatIsFreeForANextOwnerIsRenewedForThatOwner() {
        Waiter first = arrive();
        Tenure asked = granted(LASTING);
        arrive();
        slot.on((s, out) -> s.release((Hold) Objects.requireNonNull(first.outcome), 0, out));

        assertThat(slot.owner()).isNull();
        assertThat(asked.held()).isTrue();
        assertThat(slot.renewalSpec(asked, 0)).isEqualTo(LASTING);
    }

    /** Otherwise, the name would stay taken for longer after a crash of the client. */
    @Test
    void aHoldWithALeaseOfItsOwnIsVerifiedForWhatIsLeftOfIt() {
        HoldSpec own = LASTING.withOwnLease(Duration.ofSeconds(10));
        arrive(own);
        Tenure held = granted(own);
        long now = TimeUnit.SECONDS.toNanos(4);
        HoldSpec renewal = slot.renewalSpec(held, now);
        assertThat(Validity.of(now, 0, renewal.nanos(), renewal.nanos()).deadline())
                .isCloseTo(held.validity.deadline(), within(TimeUnit.MICROSECONDS.toNanos(1)));
    }

    /** A store confirms no more than what is left of a session, and asking again at once would change nothing. */
    @Test
    void aHoldThatIsConfirmedForLessThanItsLeaseIsNotRenewedAtOnce() {
        arrive();
        Tenure held = granted(LASTING, LASTING.nanos() / 2);
        assertThat(held.renewDue).isEqualTo(LASTING.nanos() / 6);
        assertThat(held.validity.deadline()).isLessThan(LASTING.nanos() / 2);
    }

    @Test
    void aHoldWithALongerLeaseThanTheOneBeforeItIsRenewedAtOnce() {
        Waiter first = arrive(LASTING);
        Tenure held = granted(LASTING);
        long now = TimeUnit.MILLISECONDS.toNanos(100);
        arrive(HoldSpec.renewed(
                Duration.ofNanos(2 * LASTING.nanos()),
                MaxHold.of(Optional.empty(), OnMaxHold.WARN),
                HoldSpec.Waiting.BARGING));
        slot.on((s, out) -> s.release((Hold) Objects.requireNonNull(first.outcome), now, out));
        assertThat(slot.owner()).isNotNull();
        assertThat(held.renewDue).isEqualTo(now);
    }
}
