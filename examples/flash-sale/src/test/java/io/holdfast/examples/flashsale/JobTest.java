package io.holdfast.examples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.StringReader;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class JobTest {

    private static final Job JOB = new Job(
            StrategyKind.LOCK,
            "redis://:secret@host:1/2",
            "redis://host",
            "sale",
            3,
            8,
            Duration.ofNanos(500_000),
            Duration.ofSeconds(2),
            333,
            Job.NEVER);

    @Test
    void goesThroughThePipeAsItIs() throws Exception {
        assertThat(read(JOB.toLines())).isEqualTo(JOB);
    }

    @Test
    void aPipeThatBreaksIsNoJob() {
        assertThatThrownBy(() -> read("LOCK\nredis://host\n")).isInstanceOf(EOFException.class);
    }

    private static Job read(String lines) throws Exception {
        return Job.readFrom(new BufferedReader(new StringReader(lines)));
    }
}
