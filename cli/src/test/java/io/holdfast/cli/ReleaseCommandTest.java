package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockReport;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Which hold the command may release after it has shown one. */
class ReleaseCommandTest {

    private static final OptionalLong UNKNOWN = OptionalLong.empty();

    private static LockReport.Holder holder(String hold, OptionalLong token) {
        return new LockReport.Holder(
                LockReport.Client.unknown("client"),
                hold,
                LockReport.Mode.LOCK,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                token,
                Duration.ofSeconds(1));
    }

    @Test
    void releasesAHoldThatWasShownWithoutItsToken() {
        LockReport.Holder shown = holder("client:1", UNKNOWN);
        assertThat(shown).asString().contains(", token unknown,");
        assertThat(ReleaseCommand.isThatOf(shown, shown)).isTrue();
        assertThat(ReleaseCommand.isThatOf(shown, holder("client:1", OptionalLong.of(7))))
                .isTrue();
    }

    @Test
    void sparesAnotherHoldOfTheClient() {
        assertThat(ReleaseCommand.isThatOf(holder("client:1", UNKNOWN), holder("client:2", UNKNOWN)))
                .isFalse();
    }

    @Test
    void sparesAnOwnerThatMayBeTheNextOne() {
        LockReport.Holder shown = holder("client:1", OptionalLong.of(7));
        assertThat(ReleaseCommand.isThatOf(shown, shown)).isTrue();
        assertThat(ReleaseCommand.isThatOf(shown, holder("client:1", OptionalLong.of(8))))
                .isFalse();
        assertThat(ReleaseCommand.isThatOf(shown, holder("client:1", UNKNOWN))).isFalse();
    }
}
