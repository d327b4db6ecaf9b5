package io.holdfast.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.internal.engine.DueQueue.Entry;
import io.holdfast.internal.slot.BargingSlot;
import io.holdfast.internal.slot.BargingSlotModelCheckingTest;
import io.holdfast.internal.slot.Tenure;
import io.holdfast.spi.Share;
import io.holdfast.spi.TenureId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The order of looks, and that a tenure has one only. */
class DueQueueTest {

    private final DueQueue queue = new DueQueue();
    private final Tenure one = tenure(1);
    private final Tenure other = tenure(2);
    private final BargingSlot slot =
            new BargingSlot("n", Share.LOCK, BargingSlotModelCheckingTest.CONFIG, () -> new TenureId("c", 1));

    private static Tenure tenure(long number) {
        return new Tenure(new TenureId("c", number), Share.LOCK);
    }

    private void plan(Tenure tenure, long at, long early) {
        queue.plan(new Entry(slot, tenure, at, early));
    }

    private List<Tenure> taken(long now) {
        return queue.take(now).stream().map(Entry::tenure).toList();
    }

    @Test
    void theEarliestComesFirst() {
        plan(one, 20, 0);
        plan(other, 10, 0);
        assertThat(queue.next(100)).isEqualTo(10);
        assertThat(taken(9)).isEmpty();
        assertThat(taken(20)).containsExactly(other, one);
        assertThat(queue.next(100)).isEqualTo(100);
    }

    @Test
    void oneThatMayRunEarlyIsTakenAlong() {
        plan(one, 20, 10);
        assertThat(taken(9)).isEmpty();
        assertThat(taken(10)).containsExactly(one);
    }

    @Test
    void anEarlierLookReplacesALaterOne() {
        plan(one, 20, 0);
        plan(one, 10, 0);
        plan(one, 30, 0);
        assertThat(taken(10)).containsExactly(one);
        assertThat(taken(100)).isEmpty();
    }

    /** Times are those of a clock that may pass from the greatest number to the least. */
    @Test
    void timesMayWrapAround() {
        plan(one, Long.MIN_VALUE + 5, 0);
        plan(other, Long.MAX_VALUE - 5, 0);
        assertThat(taken(Long.MIN_VALUE + 10)).containsExactly(other, one);
    }
}
