package io.holdfast.cli.demo;

import io.holdfast.examples.flashsale.Accident;
import io.holdfast.examples.flashsale.Seller;
import io.holdfast.examples.flashsale.StrategyKind;
import io.holdfast.examples.flashsale.Timeline;
import io.holdfast.examples.flashsale.Timeline.Mishap;
import io.holdfast.examples.flashsale.Visit;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Sales that never were. */
final class Samples {

    static final DemoOptions OPTIONS = options(500);
    static final Row NONE = new Row(
            StrategyKind.NONE,
            12_610,
            0,
            12_110,
            12_110,
            0,
            0,
            1,
            1,
            40,
            39_000,
            0.5,
            3298.5,
            7235,
            85_195,
            99_000,
            false,
            false);
    static final Row LOCK = new Row(
            StrategyKind.LOCK, 500, 0, 0, 0, 3, 2, 1, 1, 2011, 0, 2, 400, 72_350, 2_085_195, 2_100_000, true, false);
    static final Timeline NOTHING = new Timeline(List.of(), List.of());

    private Samples() {}

    static DemoOptions options(int stock) {
        return new DemoOptions(
                4,
                8,
                stock,
                Duration.ofMillis(2),
                "redis://user:se\"cret@host:6379/1",
                List.of(StrategyKind.NONE, StrategyKind.LOCK),
                Optional.empty(),
                Optional.empty());
    }

    static Visit visit(int process, long begin, long end) {
        return new Visit(new Seller(process, 0), begin, end);
    }

    /** Two who are inside one after the other, one who is beside the second, a death and a slow sale. */
    static Timeline timeline() {
        Visit dead = visit(0, 1_000_000, 1_000_100);
        Visit slow = visit(1, 1_000_100, 1_003_000);
        Visit beside = visit(2, 1_002_900, 1_002_950);
        return new Timeline(
                List.of(dead, slow, beside),
                List.of(new Mishap(Accident.HALT, 1_000_100, dead), new Mishap(Accident.SLOW, 1_000_102, slow)));
    }

    static Count count(long orders, long left, long[] orderMillis, Timeline timeline) {
        return new Count(orders, left, orderMillis, new long[0], 3, 2, timeline);
    }
}
