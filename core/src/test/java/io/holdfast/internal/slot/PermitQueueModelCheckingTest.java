package io.holdfast.internal.slot;

import io.holdfast.spi.Share;
import io.holdfast.spi.TenureId;
import java.util.function.Supplier;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The same on a {@link PermitQueue}, for a semaphore of one permit. */
@Tag("ci")
@Param(name = "who", gen = IntGen.class, conf = "0:3")
public class PermitQueueModelCheckingTest extends BargingSlotModelCheckingTest {

    @Override
    Slot newSlot(Supplier<TenureId> ids) {
        return new PermitQueue("n", CONFIG, ids, served -> {});
    }

    @Override
    HoldSpec spec() {
        return SPEC.withShare(Share.permits(1));
    }

    @Test
    @Override
    void exclusionTokensAndNobodyForgotten() {
        check(PermitQueueModelCheckingTest.class);
    }
}
