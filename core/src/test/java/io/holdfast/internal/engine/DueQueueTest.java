package io.holdfast.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.internal.engine.DueQueue.Check;
import io.holdfast.internal.slot.BargingSlot;
import io.holdfast.internal.slot.BargingSlotModelCheckingTest;
import io.holdfast.internal.slot.Tenure;
import io.holdfast.spi.Share;
import io.holdfast.spi.TenureId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The order of checks, and that a tenure has only one. */
class DueQueueTest {

    private final DueQueue queue = new DueQueue();
    private final Tenure one = tenure(1);
    private final Tenure other = tenure(2);
    private final BargingSlot slot =
            new BargingSlot("n", Share.LOCK, BargingSlotModelCheckingTest.CONFIG, () -> new TenureId("c", 1));

    private static Tenure tenure(long number) {
        return new Tenure(new TenureId("c", number), Share.LOCK);
    }

    private void schedule(Tenure tenure, long at, long early) {
        queue.schedule(new Check(slot, tenure, at, early));
    }

    private List<Tenure> polled(long now) {
        return queue.pollDue(now).stream().map(Check::tenure).toList();
    }

    @Test
    void theEarliestComesFirst() {
        schedule(one, 20, 0);
        schedule(other, 10, 0);
        assertThat(queue.nextAt(100)).isEqualTo(10);
        assertThat(polled(9)).isEmpty();
        assertThat(polled(20)).containsExactly(other, one);
        assertThat(queue.nextAt(100)).isEqualTo(100);
    }

    @Test
    void aCheckThatMayRunEarlyIsPolledWithOthers() {
        schedule(one, 20, 10);
        assertThat(polled(9)).isEmpty();
        assertThat(polled(10)).containsExactly(one);
    }

    @Test
    void anEarlierCheckReplacesALaterOne() {
        schedule(one, 20, 0);
        schedule(one, 10, 0);
        schedule(one, 30, 0);
        assertThat(polled(10)).containsExactly(one);
        assertThat(polled(100)).isEmpty();
    }

    /** Times are those of a clock that may pass from the greatest number to the least. */
    @Test
    void timesMayWrapAround() {
        schedule(one, Long.MIN_VALUE + 5, 0);
        schedule(other, Long.MAX_VALUE - 5, 0);
        assertThat(polled(Long.MIN_VALUE + 10)).containsExactly(other, one);
    }
}
