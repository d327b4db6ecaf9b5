package io.holdfast.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.testkit.Simulation;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("everywhere")
class FirstConnectionTest {

    private static final Duration LIMIT = Duration.ofSeconds(3);

    private final Simulation simulation = Simulation.of(5);
    private final FirstConnection connection = new FirstConnection(simulation, LIMIT);
    private final AtomicInteger attempts = new AtomicInteger();

    @AfterEach
    void close() {
        simulation.close();
    }

    private String fails(Effect effect, Duration after) {
        attempts.incrementAndGet();
        simulation.park(this, after.toNanos());
        throw new StoreException(effect, "it is starting");
    }

    @Test
    void repeatsWhatFailsEarlyUntilItsTimeIsOver() {
        assertThatThrownBy(() -> connection.get(() -> fails(Effect.NOT_APPLIED, Duration.ofMillis(10))))
                .hasMessage("it is starting; no attempt has succeeded within 3000 ms");
        assertThat(attempts.get()).isBetween(45, 51);
        assertThat(simulation.elapsed()).isBetween(LIMIT.minusMillis(100), LIMIT.plusMillis(100));
    }

    @Test
    void beginsNoAttemptThatWouldEndLate() {
        assertThatThrownBy(() -> connection.get(() -> fails(Effect.NOT_APPLIED, Duration.ofMillis(1_100))))
                .hasMessageContaining("within 3000 ms");
        assertThat(attempts).hasValue(2);
    }

    @Test
    void endsAtARefusal() {
        assertThatThrownBy(() -> connection.get(() -> fails(Effect.REFUSED, Duration.ZERO)))
                .hasMessage("it is starting");
        assertThat(attempts).hasValue(1);
    }

    @Test
    void endsIfItsThreadIsInterrupted() {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> connection.get(() -> fails(Effect.NOT_APPLIED, Duration.ZERO)))
                    .hasMessage("it is starting");
            assertThat(attempts).hasValue(1);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void returnsTheFirstResult() {
        assertThat(connection.get(
                        () -> attempts.get() < 3 ? fails(Effect.NOT_APPLIED, Duration.ofMillis(10)) : "connected"))
                .isEqualTo("connected");
    }
}
