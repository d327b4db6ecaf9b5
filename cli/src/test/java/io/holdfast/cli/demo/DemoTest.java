package io.holdfast.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.examples.flashsale.StrategyKind;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Small sales by real worker JVMs on a real Redis. */
class DemoTest {

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void withoutALockMoreIsSoldThanThereIs() throws Exception {
        assertThat(sell(StrategyKind.NONE)).isTrue();
        assertThat(figure("orders")).isGreaterThan(20);
        assertThat(figure("oversold")).isEqualTo(figure("orders") - 20);
        assertThat(figure("lostUpdates")).isEqualTo(figure("orders") - (20 - figure("left")));
        assertThat(figure("p99Micros"))
                .isGreaterThanOrEqualTo(figure("p50Micros"))
                .isGreaterThan(5_000);
    }

    @Test
    void underTheLockTheSaleIsExactThoughOneSellerDies() throws Exception {
        assertThat(sell(StrategyKind.LOCK)).as(err.toString()).isTrue();
        assertThat(figure("orders")).isEqualTo(20);
        assertThat(figure("left")).isZero();
        assertThat(figure("killed")).isEqualTo(1);
        assertThat(figure("stalledMillis")).isGreaterThan(200).isLessThan(6_000);
    }

    private boolean sell(StrategyKind strategy) throws Exception {
        DemoOptions options = new DemoOptions(
                2, 4, 20, Duration.ofMillis(5), DemoOptions.EMBEDDED, List.of(strategy), Optional.of(json()));
        return new Demo(options, new Progress(new PrintWriter(err), false)).run(new PrintWriter(out));
    }

    private long figure(String field) throws Exception {
        String after = Files.readString(json()).split("\"" + field + "\": ", 2)[1];
        return Long.parseLong(after.split("[,}.]", 2)[0]);
    }

    private Path json() {
        return folder.resolve("out.json");
    }
}
