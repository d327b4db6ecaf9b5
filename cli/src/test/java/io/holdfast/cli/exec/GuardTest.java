package io.holdfast.cli.exec;

import static io.holdfast.cli.exec.Await.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The guard when holdfast ends, or stands still, between the start of the command and telling which process that is. */
@Timeout(180)
@Tag("everywhere")
class GuardTest {

    private static final long LONG = 60_000;
    private static final long SHORT = 300;

    /** Of this test alone, because a process of the test before may not have ended yet. */
    private final String mark = UUID.randomUUID().toString();

    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private Guard guard;
    private Process command;

    @AfterEach
    void end() {
        guard.close();
        if (command != null) {
            command.destroyForcibly();
        }
    }

    @Test
    void aCommandThatWasNotNamedEndsWithHoldfast() throws Exception {
        expect(LONG);
        command = start(mark, "exec sleep 60");

        guard.close();

        assertThat(exitCode()).isEqualTo(128 + 15);
        awaitEndOfGuard();
    }

    @Test
    void alsoIfItAppearsOnlyThen() throws Exception {
        expect(LONG);
        command = startStubborn();
        assertThat(command.inputReader().readLine()).isEqualTo("ready");
        guard.kill();
        await("the guard has found nothing", () -> events.contains(new Event.Said(guard, "killed")));
        guard.close();

        command.getOutputStream().close();

        assertThat(exitCode()).isEqualTo(128 + 9);
        awaitEndOfGuard();
    }

    @Test
    void aCommandThatWasNotNamedEndsBeforeTheLock(@TempDir Path folder) throws Exception {
        Path ready = folder.resolve("ready");
        expect(LONG);
        command = start(mark, "trap '' TERM; touch " + ready + "; while :; do sleep 0.05; done");
        await("the command ignores TERM", () -> Files.exists(ready));

        valid(SHORT);

        assertThat(exitCode()).isEqualTo(128 + 9);
    }

    @Test
    void theCommandOfAnotherIsSpared() throws Exception {
        expect(LONG);
        command = start("another", "exec sleep 60");

        guard.close();

        awaitEndOfGuard();
        assertThat(command.isAlive()).isTrue();
    }

    @Test
    void aCommandIsWarnedOnceHoweverManyNotice(@TempDir Path folder) throws Exception {
        Path signals = Files.createFile(folder.resolve("signals"));
        Path ready = folder.resolve("ready");
        expect(LONG);
        command = start(
                mark, "trap 'echo term >>" + signals + "' TERM; touch " + ready + "; while :; do sleep 0.05; done");
        await("the command listens", () -> Files.exists(ready));

        guard.valid(new Run.Times(Clock.millis() + 3_000, Clock.millis(), Clock.millis() + 3_000));
        // a second signal that arrives before the first one is handled would be the same one
        await("the command was warned", () -> size(signals) > 0);
        guard.warn();
        guard.close();

        assertThat(exitCode()).isEqualTo(128 + 9);
        awaitEndOfGuard();
        assertThat(Files.readAllLines(signals)).containsExactly("term");
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void expect(long lease) throws IOException {
        guard = Guard.start(events::add);
        valid(lease);
        guard.expect(mark);
    }

    private void valid(long lease) {
        guard.valid(new Run.Times(Clock.millis() + lease, Clock.millis() + lease / 2, Clock.millis() + lease));
    }

    private static Process start(String mark, String script) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", script);
        builder.environment().put(Guard.MARK, mark);
        return builder.start();
    }

    /**
     * Starts a command that gets the mark when its input ends, by one exec, because the guard then waits only briefly. It
     * ignores TERM from that moment: a signal stays ignored across exec.
     */
    private Process startStubborn() throws IOException {
        String script = "trap '' TERM; echo ready; read end; export " + Guard.MARK + "=" + mark
                + "; exec sh -c 'while :; do sleep 0.05; done'";
        return new ProcessBuilder("sh", "-c", script).start();
    }

    private int exitCode() throws Exception {
        await("the end of the command", () -> !command.isAlive());
        return command.exitValue();
    }

    private void awaitEndOfGuard() throws InterruptedException {
        Event event;
        do {
            event = events.poll(LONG, TimeUnit.MILLISECONDS);
            assertThat(event).as("the end of the guard").isNotNull();
        } while (!(event instanceof Event.GuardEnded));
    }
}
