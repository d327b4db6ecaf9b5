package io.holdfast.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.OnMaxHold;
import io.holdfast.spi.Share;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A slot is found at all times, also by who has begun to look before it was set aside. */
@Tag("everywhere")
class SlotsTest {

    private static final HoldSpec READING = HoldSpec.renewed(
                    Duration.ofSeconds(30), MaxHold.of(Optional.empty(), OnMaxHold.WARN), HoldSpec.Waiting.BARGING)
            .withShare(Share.READ);

    private final AtomicLong numbers = new AtomicLong();
    private final Slots slots =
            new Slots(BargingSlotModelCheckingTest.CONFIG, () -> new TenureId("c", numbers.incrementAndGet()));
    private final Slot slot = slots.get("n", READING, true);

    @Test
    void ofItsName() {
        Stream<Slot> found = slots.of("n");
        slots.closeToNewcomers(slot);
        assertThat(found).contains(slot);
        assertThat(slots.of("n")).containsExactly(slot);
    }

    @Test
    void oneThatAnotherMadeMeanwhileIsVisited() {
        List<Slot> visited = new ArrayList<>();
        List<Slot> made = new ArrayList<>();
        slots.each("n", visit -> {
            visited.add(visit);
            if (made.isEmpty()) {
                slots.closeToNewcomers(visit);
                made.add(slots.get("n", READING, true));
            }
        });
        assertThat(visited).containsExactly(slot, made.get(0)).doesNotHaveDuplicates();
    }

    /** A signal finds what was granted to one of a line while the line was busy. */
    @Test
    void whatALineGrantsMeanwhileIsVisited() {
        HoldSpec permit = READING.withShare(Share.permits(1));
        Slot queue = slots.get("p", permit, true);
        List<Slot> visited = new ArrayList<>();
        slots.each("p", visit -> {
            visited.add(visit);
            if (visit == queue) {
                visited.add(slots.get("p", permit, false));
            }
        });
        assertThat(visited).hasSize(3);
        assertThat(visited.get(2)).isSameAs(visited.get(1));
    }

    @Test
    void eachIsVisitedOnce() {
        List<Slot> visited = new ArrayList<>();
        slots.each("n", visit -> {
            visited.add(visit);
            slots.closeToNewcomers(visit);
        });
        slots.each("n", visited::add);
        assertThat(visited).containsExactly(slot, slot);
    }

    @Test
    void amongAll() {
        Iterator<Slot> found = slots.all().iterator();
        slots.closeToNewcomers(slot);
        assertThat(found).toIterable().contains(slot);
    }

    @Test
    void whoComesThenGetsAnother() {
        slots.closeToNewcomers(slot);
        Slot next = slots.get("n", READING, true);
        assertThat(slots.of("n")).containsExactlyInAnyOrder(slot, next);
        slots.remove(slot);
        slots.remove(next);
        assertThat(slots.of("n")).isEmpty();
        assertThat(slots.all()).isEmpty();
    }

    @Test
    void oneThatHasRetiredIsNotKept() {
        slots.remove(slot);
        slots.closeToNewcomers(slot);
        assertThat(slots.all()).isEmpty();
    }

    @Test
    void oneThatRetiredIsRemovedThoughTheEffectWasLost() {
        slot.on((retired, out) -> retired.retireIfEmpty(out));
        slots.closeToNewcomers(slot);
        assertThat(slots.all()).isEmpty();
    }

    @Test
    void eachWithASingleOwnerIsFoundUntilItIsRemoved() {
        HoldSpec permit = READING.withShare(Share.permits(1));
        List<Slot> own = List.of(slots.get("p", permit, false), slots.get("p", permit, false));
        assertThat(slots.of("p")).containsExactlyInAnyOrderElementsOf(own);
        List<Slot> visited = new ArrayList<>();
        slots.each(visited::add);
        assertThat(visited).containsExactlyInAnyOrder(slot, own.get(0), own.get(1));
        own.forEach(slots::remove);
        assertThat(slots.of("p")).isEmpty();
        assertThat(slots.all()).containsExactly(slot);
    }
}
