package io.holdfast.cli.exec;

import static io.holdfast.cli.exec.Await.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The orders to the guard, when the shell reads a line at the moment of the timeout of its {@code read}. */
@Timeout(180)
@Tag("everywhere")
class GuardOrdersTest {

    /** Bash may take the end of a line from the input, and report a timeout nevertheless. */
    private static final String TIMEOUT_AFTER_EACH_LINE = """
            read() {
                builtin read "$@" || return
                [ "${!#}" != part ] || return 142
            }
            """;

    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

    @Test
    void areObeyedIfTheReadTimesOutAfterTheEndOfTheLine() throws Exception {
        Process command = new ProcessBuilder("sleep", "60").start();
        try (Guard guard = Guard.start(TIMEOUT_AFTER_EACH_LINE + Guard.script(), events::add)) {
            guard.takeOver("mark", command.pid(), new Run.Times(far(), far(), far()), false, true);
            assertThat(command.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(command.exitValue()).isEqualTo(128 + 9);
            guard.over();
            await("the guard ends", () -> events.stream().anyMatch(Event.GuardEnded.class::isInstance));
        } finally {
            command.destroyForcibly();
        }
    }

    private static long far() {
        return Clock.millis() + 600_000;
    }
}
