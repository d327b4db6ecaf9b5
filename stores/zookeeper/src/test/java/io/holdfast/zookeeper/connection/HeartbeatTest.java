package io.holdfast.zookeeper.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.support.session.ClockReading;
import io.holdfast.testkit.Simulation;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HeartbeatTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(12);
    private static final Duration TICK = Duration.ofSeconds(1);

    private final Simulation time = Simulation.of(1);
    private final long began = time.nanoTime();
    private final Deque<CompletableFuture<Void>> writes = new ArrayDeque<>();
    private final Heartbeat heartbeat =
            new Heartbeat(time, ClockReading.of(time), TIMEOUT, TICK.toNanos(), this::write);

    @AfterEach
    void close() {
        time.close();
    }

    private CompletionStage<Void> write() {
        CompletableFuture<Void> write = new CompletableFuture<>();
        writes.add(write);
        return write;
    }

    /** Returns the time from the beginning on for which the session is certain, without the margin. */
    private Duration validUntil() {
        return heartbeat
                .validity()
                .orElseThrow()
                .left(began, ClockReading.of(time))
                .plus(TIMEOUT.dividedBy(100))
                .plusMillis(2);
    }

    private void beat(Duration answer) {
        CompletionStage<Void> beat = heartbeat.beat();
        time.runFor(answer);
        writes.remove().complete(null);
        assertThat(beat.toCompletableFuture()).isDone();
    }

    @Test
    void nothingIsCertainBeforeAnAnswer() {
        var unused = heartbeat.beat();
        time.runFor(Duration.ofSeconds(1));
        assertThat(heartbeat.validity()).isEmpty();
    }

    @Test
    void theFirstAnswerProvesTheBeginning() {
        time.runFor(Duration.ofMillis(30));
        beat(Duration.ofMillis(10));
        assertThat(validUntil()).isEqualTo(TIMEOUT);
    }

    @Test
    void anAnswerProvesTheHeartbeatBeforeIt() {
        beat(Duration.ofMillis(10));
        time.runFor(Duration.ofSeconds(2));
        beat(Duration.ofMillis(500));
        assertThat(validUntil()).as("the first heartbeat").isEqualTo(TIMEOUT);
        time.runFor(Duration.ofSeconds(2));
        beat(Duration.ofMillis(500));
        assertThat(validUntil()).as("the second one").isEqualTo(TIMEOUT.plus(Duration.ofMillis(2_010)));
    }

    @Test
    void twoHeartbeatsWithinATickProveNoMore() {
        beat(Duration.ofMillis(10));
        time.runFor(Duration.ofSeconds(2));
        beat(Duration.ofMillis(10));
        time.runFor(TICK.minusMillis(20));
        beat(Duration.ofMillis(10));
        assertThat(validUntil()).isEqualTo(TIMEOUT);
    }

    /** It may have arrived just before its answer was sent. */
    @Test
    void aSlowHeartbeatCountsFromItsAnswer() {
        beat(Duration.ofMillis(10));
        time.runFor(Duration.ofSeconds(2));
        beat(Duration.ofMillis(1_500));
        time.runFor(Duration.ofMillis(10));
        beat(Duration.ofMillis(10));
        assertThat(validUntil()).isEqualTo(TIMEOUT);
    }

    /** The session is short, so a heartbeat is sent before the one before it is proven. */
    @Test
    void anAnswerProvesTheLastHeartbeatThatIsATickOld() {
        for (int i = 0; i < 4; i++) {
            beat(Duration.ofMillis(10));
            time.runFor(Duration.ofMillis(690));
        }
        // sent at 0, 700, 1 400 and 2 100 ms
        assertThat(validUntil()).isEqualTo(TIMEOUT.plusMillis(700));
    }

    @Test
    void aFailedHeartbeatProvesNothing() {
        beat(Duration.ofMillis(10));
        time.runFor(Duration.ofSeconds(2));
        CompletionStage<Void> beat = heartbeat.beat();
        writes.remove().completeExceptionally(new IllegalStateException("connection loss"));
        assertThat(beat.toCompletableFuture()).isCompletedExceptionally();
        assertThat(validUntil()).isEqualTo(TIMEOUT);
        time.runFor(Duration.ofSeconds(2));
        beat(Duration.ofMillis(10));
        assertThat(validUntil()).as("the one before the failed one").isEqualTo(TIMEOUT);
    }
}
