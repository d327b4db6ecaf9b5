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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A request that reached the store too late, when the time for a first answer is over or is not. */
class LateRequestTest {

    private static final SlotConfig CONFIG = BargingSlotModelCheckingTest.CONFIG;
    private final StoreException tooLate =
            new StoreException(StoreException.Effect.NOT_APPLIED, "requests reach the store too late");

    private final Effect.Buffer out = new Effect.Buffer();

    static Stream<Slot> slots() {
        AtomicLong numbers = new AtomicLong();
        Supplier<TenureId> ids = () -> new TenureId("c", numbers.incrementAndGet());
        return Stream.of(
                new BargingSlot("n", Share.LOCK, CONFIG, ids),
                new SharedSlot("n", CONFIG, ids),
                new FairSlot("n", Share.LOCK, CONFIG, ids),
                new PermitQueue("n", CONFIG, ids, served -> {}));
    }

    private Waiter waiter(Slot slot) {
        return waiter(slot, Durations.NEVER);
    }

    private Waiter waiter(Slot slot, long deadline) {
        return new Waiter(
                BargingSlotModelCheckingTest.SPEC.withShare(slot.share),
                0,
                deadline,
                Thread.currentThread(),
                null,
                () -> {});
    }

    private List<Tenure> asked() {
        return out.effects().stream()
                .filter(Effect.Request.class::isInstance)
                .map(effect -> ((Effect.Request) effect).tenure())
                .toList();
    }

    private Waiter answeredLate(Slot slot, long now) {
        Waiter waiter = waiter(slot);
        slot.locked(() -> slot.arrive(waiter, 0, out));
        Tenure asked = asked().get(0);
        assertThat(slot.locked(() -> slot.onSend(asked, 0))).isEqualTo(CONFIG.command());
        slot.on((s, o) -> s.late(asked, tooLate, now, out));
        return waiter;
    }

    @ParameterizedTest
    @MethodSource("slots")
    void isRepeatedWhileThereIsTime(Slot slot) {
        Waiter waiter = answeredLate(slot, CONFIG.command() / 2);
        assertThat(waiter.outcome).isNull();
        assertThat(asked()).hasSize(2);
    }

    @ParameterizedTest
    @MethodSource("slots")
    void failsWhenThereIsNone(Slot slot) {
        Waiter waiter = answeredLate(slot, CONFIG.command() + 1);
        assertThat(waiter.outcome)
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        failed -> assertThat(failed.error()).isSameAs(tooLate));
        assertThat(asked()).hasSize(1);
    }

    /** The head has left while it was asked for; the next waited for the same answer. */
    @Test
    void failsForTheNextIfTheFirstHasLeft() {
        Slot slot = slots().filter(FairSlot.class::isInstance).findFirst().orElseThrow();
        Waiter first = waiter(slot);
        Waiter next = waiter(slot);
        slot.locked(() -> slot.arrive(first, 0, out));
        slot.locked(() -> slot.arrive(next, 0, out));
        Tenure asked = asked().get(0);
        slot.locked(() -> slot.onSend(asked, 0));
        slot.on((s, o) -> s.withdraw(first, 1, out));
        slot.on((s, o) -> s.late(asked, tooLate, CONFIG.command() + 1, out));
        assertThat(next.outcome).isInstanceOf(Outcome.Failed.class);
    }

    /** A waiter that came while the request was under way was not asked for yet. */
    @ParameterizedTest
    @MethodSource("slots")
    void isRepeatedForAWaiterThatJoined(Slot slot) {
        Waiter first = waiter(slot);
        slot.locked(() -> slot.arrive(first, 0, out));
        Tenure asked = asked().get(0);
        slot.locked(() -> slot.onSend(asked, 0));
        Waiter joined = new Waiter(first.spec, 1, Durations.NEVER, Thread.currentThread(), null, () -> {});
        slot.locked(() -> slot.arrive(joined, 1, out));
        slot.on((s, o) -> s.late(asked, tooLate, CONFIG.command() / 2, out));
        assertThat(first.outcome).isNull();
        assertThat(joined.outcome).isNull();
        assertThat(asked().stream().filter(asked::equals).count()).isEqualTo(2);
    }

    /** The waiter was refused before, so it needs no other answer when its time ends during a request. */
    @ParameterizedTest
    @MethodSource("slots")
    void endsAWaiterWhoseTimeIsUp(Slot slot) {
        Waiter waiter = waiter(slot, 10);
        slot.locked(() -> slot.arrive(waiter, 0, out));
        Tenure asked = asked().get(0);
        slot.locked(() -> slot.onSend(asked, 0));
        var refused = new Acquire.Refused(Duration.ofSeconds(30), 5, List.of(), Optional.of("d:1"), 0, 1);
        slot.on((s, o) -> s.refused(asked, refused, new Tenure.ClockSample(0, 0, 0, 1), 1, out));
        Effect.PollIn poll = (Effect.PollIn) out.effects().stream()
                .filter(Effect.PollIn.class::isInstance)
                .findFirst()
                .orElseThrow();
        slot.on((s, o) -> s.poll(poll, 5, out));
        assertThat(asked()).hasSize(2);
        slot.on((s, o) -> s.timeOut(waiter, 10, out));
        assertThat(waiter.outcome).as("an answer is awaited").isNull();

        slot.on((s, o) -> s.late(asked, tooLate, 11, out));

        assertThat(waiter.outcome).isInstanceOf(Outcome.Busy.class);
        assertThat(asked()).hasSize(2);
        assertThat(out.effects())
                .contains(new Effect.Notify(waiter), new Effect.Retired())
                .hasAtLeastOneElementOfType(Effect.Settle.class);
    }
}
