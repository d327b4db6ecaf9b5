package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.faults.Fault;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random work of several clients under random faults, once for each of many seeds. A failing seed is in the message. */
class SeedsTest {

    private static final int SEEDS = Integer.getInteger("holdfast.seeds", 75);
    private static final int MORE_SEEDS = Integer.getInteger("holdfast.moreSeeds", 175);
    private static final long FIRST = Long.getLong("holdfast.seed", 1);

    @Test
    void theGuaranteesHoldForEverySeed() {
        assertTheGuarantees(FIRST, SEEDS);
    }

    @Tag("ci")
    @Tag("slow")
    @Test
    void theGuaranteesHoldForMoreSeeds() {
        assertTheGuarantees(FIRST + SEEDS, MORE_SEEDS);
    }

    private static void assertTheGuarantees(long first, int seeds) {
        long grants = 0;
        long contended = 0;
        long retaken = 0;
        Map<Fault, Long> faults = new EnumMap<>(Fault.class);
        for (long seed = first; seed < first + seeds; seed++) {
            RandomWork.Tally tally = RandomWork.run(seed);
            grants += tally.grants();
            contended += tally.contendedWaits();
            retaken += tally.retaken();
            tally.faults().forEach((fault, count) -> faults.merge(fault, count, Long::sum));
        }
        System.out.printf(
                "%d seeds: %d grants, %d of kept names, %d contended waits, faults %s%n",
                seeds, grants, retaken, contended, faults);
        assertThat(grants).isPositive();
        assertThat(contended).isPositive();
        assertThat(retaken).isPositive();
        assertThat(faults).containsOnlyKeys(Fault.values());
    }

    @Test
    void aSeedIsReplayedByteForByte() {
        assertThat(RandomWork.log(4711)).isEqualTo(RandomWork.log(4711)).isNotEqualTo(RandomWork.log(4712));
    }
}
