package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.Signal;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Signals that may have been missed. */
class GapTest extends VirtualTime {

    /** What its client hears, for a test to say. */
    private Consumer<Signal> signals = signal -> {};

    private final Holdfast c = hearing("c", told -> signals = told);

    private long renewalsAfter(Signal signal) {
        long before = c.stats().renewals();
        signals.accept(signal);
        sim.runFor(Duration.ofMillis(100));
        return c.stats().renewals() - before;
    }

    @Test
    void whatIsHeldOfItsNamesIsVerified() throws InterruptedException {
        Lease one = c.lock("one").acquire();
        Lease other = c.lock("other").acquire();
        Lease third = c.fairLock("third").acquire();
        assertThat(renewalsAfter(new Signal.Gap("one"::equals))).isEqualTo(1);
        assertThat(renewalsAfter(new Signal.Gap())).isEqualTo(3);
        one.close();
        other.close();
        third.close();
    }
}
