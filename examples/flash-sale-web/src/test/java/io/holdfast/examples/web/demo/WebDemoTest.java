package io.holdfast.examples.web.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.examples.web.Way;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A small sale by two processes on a real Redis. */
@Timeout(120)
@Tag("ci")
class WebDemoTest {

    private static final Scale SMALL = new Scale(600, 12, 1_200, 20, 80, 20);

    @Test
    void theLockedMethodSellsEachItemOnceThoughOneInstanceIsPausedAndTheOtherOneKilled() throws Exception {
        Options options = new Options(false, List.of(Way.LOCK), false);
        List<Row> rows;
        try (StoreServer server = StoreServer.redis()) {
            rows = new WebDemo(options, SMALL, System.err).sell(server);
        }

        assertThat(rows).singleElement().satisfies(row -> {
            assertThat(row.accidents()).isEqualTo(new Row.Happened(1, 1, true));
            assertThat(row.orders()).isEqualTo(SMALL.stock());
            assertThat(row.left()).isZero();
            assertThat(row.oversold()).isZero();
            assertThat(row.lostUpdates()).isZero();
            assertThat(row.stale()).isZero();
            assertThat(row.refused()).as("writes of the paused instance").isPositive();
            assertThat(row.exact()).isTrue();
            assertThat(row.asExpected()).isTrue();
        });
    }
}
