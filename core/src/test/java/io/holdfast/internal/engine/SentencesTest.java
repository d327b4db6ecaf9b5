package io.holdfast.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockEvent;
import io.holdfast.spi.Share.Mode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A line of the log says what kind of thing an event happened to. */
class SentencesTest {

    private static final List<LockEvent> EVENTS = List.of(
            new LockEvent.Granted("n", 7, "lease 1.1", false),
            new LockEvent.Released("n", 7, "lease 1.1"),
            new LockEvent.Lost("n", 7, "lease 1.1", "why"),
            new LockEvent.Abandoned("n", 7, "lease 1.1", "where"),
            new LockEvent.HeldTooLong("n", 7, "lease 1.1", Duration.ofSeconds(1), "where"),
            new LockEvent.RenewalLate("n", 7, Duration.ofSeconds(1), "why"),
            new LockEvent.ReleaseUnconfirmed("n", 7, Duration.ofSeconds(1), "why"));

    private static String subject(Mode mode) {
        return switch (mode) {
            case LOCK -> "lock 'n' ";
            case READ, WRITE -> "read/write lock 'n' ";
            case PERMITS -> "a permit of semaphore 'n' ";
        };
    }

    private static String several(Mode mode) {
        return switch (mode) {
            case LOCK -> "locks ";
            case READ, WRITE -> "read/write locks ";
            case PERMITS -> "permits ";
        };
    }

    @Test
    void eachKindOfEventIsTested() {
        assertThat(EVENTS.stream().<Class<?>>map(LockEvent::getClass))
                .containsExactlyInAnyOrder(LockEvent.class.getPermittedSubclasses());
    }

    @ParameterizedTest
    @EnumSource
    void aSentenceBeginsWithTheKindAndTheName(Mode mode) {
        assertThat(EVENTS)
                .allSatisfy(event -> assertThat(EventTexts.of(mode, event))
                        .startsWith(subject(mode))
                        .contains("token 7"));
    }

    @ParameterizedTest
    @EnumSource
    void aWarningAboutSeveralBeginsWithTheKind(Mode mode) {
        List<LockEvent> warnings = EVENTS.subList(2, EVENTS.size());
        assertThat(warnings)
                .allSatisfy(event -> assertThat(EventTexts.ofMany(mode, event)).startsWith(several(mode)));
    }
}
