package io.holdfast.cli.exec;

import static io.holdfast.cli.exec.Await.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Lease;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Signals to holdfast exec reach the command and all its descendants. */
class ExecSignalTest extends ExecFixture {

    private static final Map<String, Integer> NUMBERS = Map.of("HUP", 1, "INT", 2, "TERM", 15);

    /** A shell that waits for its child. */
    private static final String FAMILY = "echo $$ >$D/command; sh -c 'echo $$ >$D/grandchild; exec sleep 60'; exit 3";

    /** A child that ends only when told so by a file. */
    private static final String TOUGH_CHILD = "sh -c 'trap \"\" TERM; echo $$ >$D/grandchild;"
            + " until [ -e $D/go ]; do sleep 0.02; done' & echo $$ >$D/command; wait";

    /** Writes its signals down, and ends with an INT. */
    private static final String COUNTING = """
            trap 'echo term >>$D/signals' TERM
            trap 'echo int >>$D/signals; exit 0' INT
            echo $PPID >$D/inner
            echo $$ >$D/command
            while :; do sleep 0.02; done
            """;

    @Test
    void eachSignalEndsTheFamilyAndTheLockIsFreeAtOnce() throws Exception {
        Map<String, Child> bySignal = new LinkedHashMap<>();
        for (String signal : NUMBERS.keySet()) {
            bySignal.put(signal, exec("family-" + signal, "sh", "-c", FAMILY));
        }
        for (Map.Entry<String, Child> entry : bySignal.entrySet()) {
            Child child = entry.getValue();
            long command = child.awaitPid("command");
            long grandchild = child.awaitPid("grandchild");

            child.signal(entry.getKey());

            assertThat(child.exitCode()).as(entry.getKey()).isEqualTo(128 + NUMBERS.get(entry.getKey()));
            assertThat(Child.lives(command)).isFalse();
            assertThat(Child.lives(grandchild))
                    .as("grandchild after " + entry.getKey())
                    .isFalse();
            assertThat(other.lock("family-" + entry.getKey()).tryAcquire()).isPresent();
        }
    }

    @Test
    void theLockIsHeldUntilTheLastDescendantHasEnded() throws Exception {
        Child child = exec("tough", "sh", "-c", TOUGH_CHILD);
        long command = child.awaitPid("command");
        long grandchild = child.awaitPid("grandchild");

        child.signal("TERM");
        Child.awaitGone(command);

        assertThat(other.lock("tough").tryAcquire(Duration.ofMillis(300))).isEmpty();
        assertThat(child.isAlive()).isTrue();
        assertThat(Child.lives(grandchild)).isTrue();
        child.write("go");
        assertThat(child.exitCode()).isEqualTo(128 + 15);
        assertThat(Child.lives(grandchild)).isFalse();
        assertThat(other.lock("tough").tryAcquire()).isPresent();
    }

    /** Many, so that some of the programs start before the signal has been sent to all processes. */
    @Test
    void aProgramThatATrapStartsGetsNoSignal() throws Exception {
        Path cleanup = Files.writeString(temp.resolve("cleanup"), """
                trap 'echo term >>$D/signals' TERM
                sleep 0.3
                echo done >>$D/cleaned
                """);
        Path trapping = Files.writeString(temp.resolve("trapping"), """
                trap 'sh %s; exit' TERM
                echo $$ >>$D/traps
                while :; do sleep 0.02; done
                """.formatted(cleanup));
        Child child = exec("cleaned", "sh", "-c", """
                for i in 1 2 3 4 5 6 7 8; do sh %s & done
                trap 'wait; exit 0' TERM
                while [ "$(wc -l 2>/dev/null <$D/traps)" != 8 ]; do sleep 0.02; done
                echo $$ >$D/command
                wait
                """.formatted(trapping));
        child.awaitPid("command");

        child.signal("TERM");

        assertThat(child.exitCode()).as(child.errors()).isZero();
        assertThat(child.lines("cleaned")).hasSize(8);
        assertThat(child.lines("signals")).isEmpty();
    }

    @Test
    @Tag("ci")
    void aStoppedCommandTakesItsTerm() throws Exception {
        Child child = exec("stopped", "sh", "-c", FAMILY);
        long grandchild = child.awaitPid("grandchild");
        Child.kill("STOP", grandchild);

        child.signal("TERM");

        assertThat(child.exitCode()).isEqualTo(128 + 15);
        assertThat(Child.lives(grandchild)).isFalse();
    }

    @Test
    @Tag("ci")
    void aCommandOfAnInnerExecGetsASignalOnce() throws Exception {
        Child child = exec("outer", Child.command("exec", "--lock", "inner", "--", "sh", "-c", COUNTING));
        child.awaitPid("command");

        child.signal("TERM");
        await("the signal", () -> !child.lines("signals").isEmpty());
        // comes after all that the inner exec passes on
        Child.kill("INT", child.awaitPid("inner"));

        assertThat(child.exitCode()).as(child.errors()).isZero();
        assertThat(child.lines("signals")).containsExactly("term", "int");
    }

    @Test
    @Tag("ci")
    void aSignalEndsTheWaitAndLeavesNothing() throws Exception {
        try (Lease held = other.lock("waited-for").acquire(Duration.ZERO)) {
            Map<String, Child> bySignal = new LinkedHashMap<>();
            for (String signal : NUMBERS.keySet()) {
                bySignal.put(
                        signal,
                        start(
                                server.uri(),
                                "--lock",
                                "waited-for",
                                "--wait",
                                "5m",
                                "--",
                                "sh",
                                "-c",
                                "echo ran >$D/ran"));
            }
            awaitWaiters(other, "waited-for", 3);
            for (Map.Entry<String, Child> entry : bySignal.entrySet()) {
                entry.getValue().signal(entry.getKey());
                assertThat(entry.getValue().exitCode()).isEqualTo(128 + NUMBERS.get(entry.getKey()));
                assertThat(entry.getValue().lines("ran")).isEmpty();
            }
            assertThat(other.inspect("waited-for").waiters()).isEmpty();
            assertThat(held.isValid()).isTrue();
        }
    }

    @Test
    @Tag("ci")
    void whatWasIgnoredAtTheStartStaysIgnored() throws Exception {
        Child child = startUnder(List.of("nohup"), server.uri(), "--lock", "nohup", "--", "sh", "-c", FAMILY);
        long grandchild = child.awaitPid("grandchild");

        child.signal("HUP");
        Child.kill("HUP", grandchild);
        child.signal("TERM");

        assertThat(child.exitCode()).isEqualTo(128 + 15);
        assertThat(Child.lives(grandchild)).isFalse();
    }
}
