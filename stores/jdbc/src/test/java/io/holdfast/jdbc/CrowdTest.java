package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testkit.crowd.Crowd;
import io.holdfast.testkit.crowd.CrowdPlan;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A crowd whose processes do not exclude each other. */
@Tag("ci")
class CrowdTest {

    @Test
    void isFoundOut() throws Exception {
        // a database in memory is one of each process
        try (Crowd crowd = Crowd.start("jdbc:h2:mem:crowd", CrowdPlan.ofHoldfast(Duration.ofSeconds(3), 2, 2))) {
            // on a machine under load, their holds may interleave without an overlap, and then their tokens show it
            crowd.work(Duration.ofSeconds(2));
            assertThatThrownBy(crowd::end)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageFindingMatch("(OVERLAP|TOKEN): n-");
        }
    }
}
