package io.holdfast.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class StandstillTest {

    private final Standstill standstill = new Standstill(Duration.ofNanos(10), 100);

    @Test
    void isTooLongAfterItsPatience() {
        assertThat(standstill.tooLong(1, 105)).isFalse();
        assertThat(standstill.tooLong(1, 115)).isFalse();
        assertThat(standstill.tooLong(1, 116)).isTrue();
    }

    @Test
    void beginsAgainWithEveryChange() {
        assertThat(standstill.tooLong(1, 105)).isFalse();
        assertThat(standstill.tooLong(2, 120)).isFalse();
        assertThat(standstill.tooLong(2, 130)).isFalse();
        assertThat(standstill.tooLong(2, 131)).isTrue();
    }
}
