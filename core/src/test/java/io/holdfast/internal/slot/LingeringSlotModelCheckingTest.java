package io.holdfast.internal.slot;

import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.function.Supplier;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The same for a name that lingers, which others may want, and which may come to be in doubt, at any moment. */
@Tag("ci")
@Param(name = "who", gen = IntGen.class, conf = "0:3")
public class LingeringSlotModelCheckingTest extends BargingSlotModelCheckingTest {

    private static final HoldSpec LINGERING = SPEC.withLinger(Duration.ofSeconds(10));

    @Override
    Slot newSlot(Supplier<TenureId> ids) {
        return new LingeringSlot("n", CONFIG, ids, new LingerBackoff(CONFIG.poll(), name -> false));
    }

    @Override
    HoldSpec spec() {
        return LINGERING;
    }

    @Override
    @Test
    void exclusionTokensAndNobodyForgotten() {
        check(LingeringSlotModelCheckingTest.class);
    }

    @Operation
    public boolean wanted() {
        event((s, out) -> s.contended(0, out));
        return true;
    }

    @Operation
    public boolean doubted() {
        event((s, out) -> s.putInDoubt(0, out));
        return true;
    }
}
