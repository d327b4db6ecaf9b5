package io.holdfast.etcd.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.support.session.ClockReading;
import io.holdfast.support.session.SessionValidity;
import io.holdfast.testkit.Simulation;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("everywhere")
class HeartbeatTest {

    private static final Duration LIFE = Duration.ofSeconds(12);
    private static final Heartbeat.Sign SIGN = new Heartbeat.Sign(LIFE.toSeconds(), 3);

    private final Simulation time = Simulation.of(1);
    private final long began = time.nanoTime();
    private final Deque<CompletableFuture<Heartbeat.Sign>> signs = new ArrayDeque<>();
    private final Deque<CompletableFuture<Long>> writes = new ArrayDeque<>();
    private final Heartbeat heartbeat =
            new Heartbeat(time, SessionValidity.of(ClockReading.of(time), LIFE), new Requests());

    private final class Requests implements Heartbeat.Requests {

        @Override
        public CompletionStage<Heartbeat.Sign> signOfLife() {
            CompletableFuture<Heartbeat.Sign> sign = new CompletableFuture<>();
            signs.add(sign);
            return sign;
        }

        @Override
        public CompletionStage<Long> write() {
            CompletableFuture<Long> write = new CompletableFuture<>();
            writes.add(write);
            return write;
        }
    }

    @AfterEach
    void close() {
        time.close();
    }

    /** Returns the time from the beginning on for which the session is certain, without the margin. */
    private Duration validUntil() {
        return heartbeat
                .validity()
                .left(began, ClockReading.of(time))
                .plus(LIFE.dividedBy(100))
                .plusMillis(2);
    }

    @Test
    void theGrantOfTheLeaseIsTheFirstProof() {
        assertThat(validUntil()).isEqualTo(LIFE);
    }

    @Test
    void aHeartbeatCountsFromItsSignOfLife() {
        time.runFor(Duration.ofSeconds(2));
        CompletionStage<Void> beat = heartbeat.beat();
        time.runFor(Duration.ofMillis(500));
        signs.remove().complete(SIGN);
        time.runFor(Duration.ofMillis(500));
        assertThat(validUntil()).as("before the write").isEqualTo(LIFE);
        writes.remove().complete(3L);
        assertThat(validUntil()).isEqualTo(LIFE.plusSeconds(2));
        assertThat(beat.toCompletableFuture()).isCompleted();
    }

    /** The leader that answered may have been replaced before, and another one may have ended the session. */
    @Test
    void aHeartbeatThatMeetsTwoLeadersIsRepeatedOnce() {
        time.runFor(Duration.ofSeconds(2));
        CompletionStage<Void> beat = heartbeat.beat();
        signs.remove().complete(SIGN);
        writes.remove().complete(4L);
        assertThat(validUntil()).isEqualTo(LIFE);
        time.runFor(Duration.ofSeconds(1));
        signs.remove().complete(SIGN);
        writes.remove().complete(5L);
        assertThat(validUntil()).isEqualTo(LIFE);
        assertThat(beat.toCompletableFuture()).isCompleted();
        assertThat(signs).isEmpty();
    }

    @Test
    void aRepeatedHeartbeatCountsFromItsOwnSignOfLife() {
        time.runFor(Duration.ofSeconds(2));
        var unused = heartbeat.beat();
        signs.remove().complete(SIGN);
        time.runFor(Duration.ofSeconds(1));
        writes.remove().complete(4L);
        signs.remove().complete(new Heartbeat.Sign(LIFE.toSeconds(), 4));
        writes.remove().complete(4L);
        assertThat(validUntil()).isEqualTo(LIFE.plusSeconds(3));
    }

    @Test
    void aFailedHeartbeatProvesNothing() {
        time.runFor(Duration.ofSeconds(2));
        CompletionStage<Void> beat = heartbeat.beat();
        signs.remove().complete(SIGN);
        writes.remove().completeExceptionally(new IllegalStateException("no answer"));
        assertThat(beat.toCompletableFuture()).isCompletedExceptionally();
        assertThat(validUntil()).isEqualTo(LIFE);
        var next = heartbeat.beat();
        assertThat(signs).as("another heartbeat may follow").hasSize(1);
        assertThat(next.toCompletableFuture()).isNotDone();
    }

    /** A leader that has not applied the grant of the lease yet gives the same answer as one that has seen the lease end. */
    @Test
    void asksAgainIfTheWriteShowsThatTheSessionHasNotEnded() {
        CompletionStage<Void> beat = heartbeat.beat();
        signs.remove().complete(new Heartbeat.Sign(0, 3));
        time.runFor(Duration.ofSeconds(1));
        writes.remove().complete(3L);
        assertThat(validUntil()).isEqualTo(LIFE);
        signs.remove().complete(SIGN);
        writes.remove().complete(3L);
        assertThat(validUntil()).isEqualTo(LIFE.plusSeconds(1));
        assertThat(beat.toCompletableFuture()).isCompleted();
    }

    @Test
    void leavesItToTheWriteToFindThatTheSessionHasEnded() {
        CompletionStage<Void> beat = heartbeat.beat();
        signs.remove().complete(new Heartbeat.Sign(0, 3));
        writes.remove().completeExceptionally(new IllegalStateException("the session has ended"));
        assertThat(beat.toCompletableFuture()).isCompletedExceptionally();
        assertThat(signs).isEmpty();
        assertThat(validUntil()).isEqualTo(LIFE);
    }

    @Test
    void aHeartbeatUnderWayServesAllWhoAsk() {
        CompletionStage<Void> one = heartbeat.beat();
        CompletionStage<Void> other = heartbeat.beat();
        assertThat(signs).hasSize(1);
        signs.remove().complete(SIGN);
        writes.remove().complete(3L);
        assertThat(one.toCompletableFuture()).isCompleted();
        assertThat(other.toCompletableFuture()).isCompleted();
    }
}
