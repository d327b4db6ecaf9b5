package io.holdfast.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class StandstillTest {

    private static final Duration PATIENCE = Duration.ofNanos(10);

    private final Standstill standstill = new Standstill(100);

    @Test
    void isTooLongAfterItsPatience() {
        assertThat(standstill.isLongerThan(PATIENCE, 1, 105)).isFalse();
        assertThat(standstill.isLongerThan(PATIENCE, 1, 115)).isFalse();
        assertThat(standstill.isLongerThan(PATIENCE, 1, 116)).isTrue();
    }

    @Test
    void beginsAgainWithEveryChange() {
        assertThat(standstill.isLongerThan(PATIENCE, 1, 105)).isFalse();
        assertThat(standstill.isLongerThan(PATIENCE, 2, 120)).isFalse();
        assertThat(standstill.isLongerThan(PATIENCE, 2, 130)).isFalse();
        assertThat(standstill.isLongerThan(PATIENCE, 2, 131)).isTrue();
    }
}
