package io.holdfast.cli.exec;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanTest {

    @ParameterizedTest
    @CsvSource({"3, 1000", "5, 1000", "10, 1000", "30, 3000", "600, 60000"})
    void theReserveIsAShareOfTheLeaseWithAFloor(int seconds, long lead) {
        Duration lease = Duration.ofSeconds(seconds);

        Plan plan = Plan.of(lease, lease.dividedBy(3));

        assertThat(plan.lead()).isEqualTo(lead);
        assertThat(plan.warn())
                .as("TERM comes before KILL, and after a renewal is due")
                .isBetween(lead + 1, lease.toMillis() * 2 / 3 - 1);
    }
}
