package io.holdfast.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockReport;
import io.holdfast.spi.StoreConfig;
import io.holdfast.testkit.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClientRecordTest {

    private static final LockReport.Client CLIENT =
            new LockReport.Client("id", Optional.of("the seller"), Optional.of("host 1"), OptionalLong.of(42));

    private final Simulation simulation = Simulation.of(3);
    private final ClientRecord record = record(CLIENT, simulation);

    @AfterEach
    void close() {
        simulation.close();
    }

    private static ClientRecord record(LockReport.Client client, Simulation simulation) {
        return new ClientRecord(StoreConfig.of("memory:", client, simulation));
    }

    @Test
    void isToBeWrittenAtOnceAndThenEveryTenSeconds() {
        assertThat(record.takeTurn()).isTrue();
        assertThat(record.takeTurn()).isFalse();
        simulation.runFor(Duration.ofSeconds(10).minusNanos(1));
        assertThat(record.takeTurn()).isFalse();
        simulation.runFor(Duration.ofNanos(1));
        assertThat(record.takeTurn()).isTrue();
        assertThat(record.takeTurn()).isFalse();
    }

    @Test
    void theTenSecondsCountFromTheLastTurn() {
        simulation.runFor(Duration.ofSeconds(25));
        assertThat(record.takeTurn()).isTrue();
        simulation.runFor(Duration.ofSeconds(9));
        assertThat(record.takeTurn()).isFalse();
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(record.takeTurn()).isTrue();
    }

    @Test
    void oneOfSeveralCallersWritesIt() {
        List<String> turns = new ArrayList<>();
        for (String name : List.of("a", "b", "c", "d")) {
            simulation.start(name, () -> {
                for (int i = 0; i < 3; i++) {
                    if (record.takeTurn()) {
                        turns.add(name);
                    }
                    simulation.sleep(Duration.ofSeconds(4));
                }
            });
        }
        simulation.runFor(Duration.ofSeconds(9));
        assertThat(turns).hasSize(1);
        simulation.runThreads();
        assertThat(turns).hasSize(1);
    }

    /** In some of these runs the clock overflows. */
    @Test
    void turnsComeInAnyTime() {
        for (int seed = 0; seed < 20; seed++) {
            try (Simulation any = Simulation.of(seed)) {
                ClientRecord its = record(CLIENT, any);
                long turns = IntStream.range(0, 120)
                        .filter(second -> {
                            boolean mine = its.takeTurn();
                            any.runFor(Duration.ofSeconds(1));
                            return mine;
                        })
                        .count();
                assertThat(turns).as("seed " + seed).isEqualTo(12);
            }
        }
    }

    @Test
    void isWrittenFromTheFirstTurnOn() {
        assertThat(record.isWritten()).isFalse();
        assertThat(record.takeTurn()).isTrue();
        assertThat(record.isWritten()).isTrue();
        assertThat(record.takeTurn()).isFalse();
        assertThat(record.isWritten()).isTrue();
    }

    @Test
    void lastsAsLongAsTheLeaseButNotLessThanHalfAMinute() {
        assertThat(ClientRecord.life(Duration.ofMillis(100))).isEqualTo(Duration.ofSeconds(30));
        assertThat(ClientRecord.life(Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(30));
        assertThat(ClientRecord.life(Duration.ofMillis(30_001))).isEqualTo(Duration.ofMillis(30_001));
        assertThat(ClientRecord.life(Duration.ofHours(1))).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void othersReadWhatWasWritten() {
        assertThat(record.text()).isEqualTo("the seller\nhost 1\n42");
        assertThat(ClientRecord.read("id", record.text())).isEqualTo(CLIENT);
    }

    @Test
    void furtherLinesAreIgnored() {
        assertThat(ClientRecord.read("id", record.text() + "\nmore\n")).isEqualTo(CLIENT);
    }

    @Test
    void whatIsUnknownStaysUnknown() {
        LockReport.Client unknown = LockReport.Client.unknown("id");
        String text = record(unknown, simulation).text();
        assertThat(text).isEqualTo("\n\n0");
        assertThat(ClientRecord.read("id", text)).isEqualTo(unknown);
    }
}
