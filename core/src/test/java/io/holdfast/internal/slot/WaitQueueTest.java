package io.holdfast.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.internal.access.Durations;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.spi.TenureId;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The patience of waiters with a store that does not answer. */
class WaitQueueTest {

    private static final SlotConfig CONFIG = BargingSlotModelCheckingTest.CONFIG;

    private final StoreException silence = new StoreException(Effect.UNKNOWN, "no answer");
    private final WaitQueue queue = new WaitQueue("n", CONFIG);
    private final Tenure asked = new Tenure(new TenureId("c", 1), Share.LOCK);

    private Waiter joins(long now) {
        Waiter waiter = new Waiter(BargingSlotModelCheckingTest.SPEC, now, Durations.NEVER, null, null, () -> {});
        queue.add(waiter);
        return waiter;
    }

    @Test
    void oneThatCameLongAgoHasTheWholeTimeForItsFirstAnswer() {
        joins(0);
        assertThat(queue.onSend(asked, CONFIG.command() * 5)).isEqualTo(CONFIG.command());
    }

    @Test
    void whoAsksAloneCutsNobodyShort() {
        Waiter first = joins(0);
        queue.onSend(asked, 0);
        queue.refused(asked, Optional.empty(), 1);
        Waiter newcomer = joins(2);
        Tenure own = new Tenure(new TenureId("c", 2), Share.LOCK);
        own.startRequest(false);
        own.preparedFor = newcomer;
        newcomer.ticket = own;
        assertThat(queue.onSend(newcomer, own, 2)).isEqualTo(CONFIG.command());
        assertThat(queue.onSend(asked, 3)).isEqualTo(CONFIG.outage());
        assertThat(queue.refused(asked, Optional.empty(), Long.MAX_VALUE)).isEmpty();
        assertThat(first.answered).isTrue();
        assertThat(newcomer.answered).isFalse();
    }

    @Test
    void oneThatCameWhileTheStoreWasSilentHasWaitedSince() {
        joins(0);
        queue.onSend(asked, 0);
        Waiter late = joins(TimeUnit.MILLISECONDS.toNanos(1));
        queue.requestFailed(asked, silence, CONFIG.command());
        assertThat(queue.removeExpired(asked, CONFIG.command())).hasSize(1).doesNotContain(late);
        assertThat(queue.removeExpired(asked, late.arrived + CONFIG.command())).containsExactly(late);
    }

    @Test
    void oneThatComesInAnOutageHasWaitedSince() {
        joins(0);
        queue.onSend(asked, 0);
        queue.requestFailed(asked, silence, 1);
        Waiter late = joins(10);
        assertThat(queue.onSend(asked, 20)).isEqualTo(CONFIG.command() - 20);
        assertThat(queue.removeExpired(asked, late.arrived + CONFIG.command())).contains(late);
    }

    @Test
    void anOutageEndsWithThoseWhoHaveSeenIt() {
        Waiter one = joins(0);
        queue.requestFailed(asked, silence, 1);
        queue.remove(one);
        assertThat(queue.lastFailure()).isEmpty();
        joins(2);
        queue.requestFailed(asked, silence, 3);
        queue.clear();
        assertThat(queue.lastFailure()).isEmpty();
    }
}
