package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Share;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.spi.TenureId;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The patience of waiters with a store that does not answer. */
class WaitQueueTest {

    private static final SlotConfig RULES = BargingSlotModelCheckingTest.RULES;

    private final StoreException silence = new StoreException(Effect.UNKNOWN, "no answer");
    private final WaitQueue line = new WaitQueue("n", RULES);
    private final Tenure asked = new Tenure(new TenureId("c", 1), Share.LOCK);

    private Waiter joins(long now) {
        Waiter waiter = new Waiter(BargingSlotModelCheckingTest.TERM, now, Tenure.NEVER, null, null, () -> {});
        line.add(waiter);
        return waiter;
    }

    @Test
    void oneThatCameLongAgoHasTheWholeTimeForItsFirstAnswer() {
        joins(0);
        assertThat(line.asks(asked, RULES.command() * 5)).isEqualTo(RULES.command());
    }

    @Test
    void whoAsksAloneCutsNobodyShort() {
        Waiter first = joins(0);
        line.asks(asked, 0);
        line.refused(asked, Optional.empty(), 1);
        Waiter newcomer = joins(2);
        Tenure own = new Tenure(new TenureId("c", 2), Share.LOCK);
        own.inFlight = true;
        own.preparedFor = newcomer;
        newcomer.ticket = own;
        assertThat(line.asks(newcomer, own, 2)).isEqualTo(RULES.command());
        assertThat(line.asks(asked, 3)).isEqualTo(RULES.outage());
        assertThat(line.refused(asked, Optional.empty(), Long.MAX_VALUE)).isEmpty();
        assertThat(first.answered).isTrue();
        assertThat(newcomer.answered).isFalse();
    }

    @Test
    void oneThatCameWhileTheStoreWasSilentHasWaitedSince() {
        joins(0);
        line.asks(asked, 0);
        Waiter late = joins(TimeUnit.MILLISECONDS.toNanos(1));
        line.isSilent(asked, silence, RULES.command());
        assertThat(line.impatient(asked, RULES.command())).hasSize(1).doesNotContain(late);
        assertThat(line.impatient(asked, late.arrived + RULES.command())).containsExactly(late);
    }

    @Test
    void oneThatComesInAnOutageHasWaitedSince() {
        joins(0);
        line.asks(asked, 0);
        line.isSilent(asked, silence, 1);
        Waiter late = joins(10);
        assertThat(line.asks(asked, 20)).isEqualTo(RULES.command() - 20);
        assertThat(line.impatient(asked, late.arrived + RULES.command())).contains(late);
    }

    @Test
    void anOutageEndsWithThoseWhoHaveSeenIt() {
        Waiter one = joins(0);
        line.isSilent(asked, silence, 1);
        line.remove(one);
        assertThat(line.trouble()).isEmpty();
        joins(2);
        line.isSilent(asked, silence, 3);
        line.clear();
        assertThat(line.trouble()).isEmpty();
    }
}
