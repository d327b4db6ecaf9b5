package io.holdfast.cli.exec;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.embedded.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever happens to the lock or to holdfast, the command has ended when another holds the lock. */
class ExecLossTest extends ExecFixture {

    private static final Pattern MEASURED = Pattern.compile("gone (-?[0-9]+) ms before the lock ended");

    /**
     * Ignores TERM, and writes down for how long it lives; so does a child of it in a session of its own. One line of
     * proof is the time in nanoseconds.
     */
    private static final String STUBBORN = """
            exec 2>/dev/null
            trap 'echo term >>$D/signals' TERM
            setsid sh -c 'echo $$ >$D/grandchild; trap "" TERM; while :; do date +%s%N >>$D/lives; sleep 0.02; done' &
            echo $$ >$D/command
            while :; do date +%s%N >>$D/lives; sleep 0.02; done
            """;

    @Test
    void aLockTakenAwayEndsTheCommandAtOnce() throws Exception {
        Child child = stubborn(server, "taken", "30s");

        other.lock("taken").forceUnlock();

        assertThat(child.exitCode()).isEqualTo(76);
        assertGone(child);
        assertThat(child.errors()).startsWith("holdfast exec: lock 'taken'").contains("lost");
    }

    @Test
    @Tag("ci")
    void aStoreThatIsStoppedOrKilledEndsTheCommandInTime() throws Exception {
        try (RedisServer stopped = RedisServer.start();
                RedisServer killed = RedisServer.start();
                Holdfast next = connect(stopped.uri())) {
            // two seconds from TERM to KILL: a command on a busy host has to write that it got the TERM
            Child onStopped = stubborn(stopped, "a", "6s");
            Child onKilled = stubborn(killed, "a", "6s");

            stopped.pause();
            killed.kill();

            Child.awaitGone(onKilled.awaitPid("command"));
            long begin = System.nanoTime();
            assertThat(onKilled.exitCode()).isEqualTo(76);
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .as("without a wait for the store; the close of a client would wait 5 s")
                    .isLessThan(Duration.ofMillis(4_500));
            assertThat(onKilled.errors()).doesNotContain("may remain held");
            assertGone(onKilled);
            assertWarnedOnce(onKilled);
            assertThat(onKilled.errors().lines()).allMatch(line -> line.startsWith("holdfast exec: "));
            assertThat(onStopped.exitCode()).isEqualTo(76);
            assertGone(onStopped);
            assertWarnedOnce(onStopped);
            stopped.resume();
            assertAllEndedBefore(next, "a", onStopped);
        }
    }

    /** And once for each renewal before that came late, but in time, as on a busy machine. */
    private static void assertWarnedOnce(Child child) throws IOException {
        long recoveries = child.errors()
                .lines()
                .filter(line -> line.contains("renewed again"))
                .count();
        assertThat(child.lines("signals"))
                .as(child.errors())
                .hasSize(1 + (int) recoveries)
                .containsOnly("term");
    }

    @Test
    @Tag("ci")
    void oneThatEndsInItsGraceHasLostItsLockToo() throws Exception {
        try (RedisServer killed = RedisServer.start()) {
            // a TERM before the kill is one for a renewal that came late, on a busy machine
            Child polite = begun(killed, "a", "6s", "sh", "-c", """
                    trap '[ ! -e $D/killed ] || exit 0' TERM
                    echo $$ >$D/command
                    while :; do sleep 0.05; done
                    """);

            killed.kill();
            polite.write("killed");

            assertThat(polite.exitCode()).as(polite.errors()).isEqualTo(76);
        }
    }

    @Test
    void whenHoldfastIsKilledOrStoppedTheCommandEndsBeforeAnotherHoldsTheLock() throws Exception {
        Child killed = stubborn(server, "killed", "5s");
        Child stopped = stubborn(server, "stopped", "5s");
        killed.signal("KILL");
        stopped.signal("STOP");

        assertAllEndedBefore(other, "killed", killed);
        assertThat(killed.lines("signals")).contains("term");
        assertAllEndedBefore(other, "stopped", stopped);
        assertThat(millisBetweenDeathAndEndOfLease(killed, stopped)).isPositive();
        stopped.signal("CONT");
        assertThat(stopped.exitCode()).isEqualTo(76);
    }

    /** The smallest of what the guards have measured. */
    private static int millisBetweenDeathAndEndOfLease(Child... children) throws IOException {
        int smallest = Integer.MAX_VALUE;
        for (Child child : children) {
            Matcher measured = MEASURED.matcher(child.errors());
            assertThat(measured.find()).as(child.errors()).isTrue();
            smallest = Math.min(smallest, Integer.parseInt(measured.group(1)));
        }
        System.out.println("the command died at least " + smallest + " ms before the end of its lease");
        return smallest;
    }

    @Test
    @Tag("ci")
    void aGuardThatIsKilledIsReplaced() throws Exception {
        Child child = stubborn(server, "guarded", "5s");
        long guard = guardOf(child);

        Child.kill("KILL", guard);
        Await.await("another guard", () -> child.errors().contains("another one has replaced it"));
        child.signal("KILL");

        assertAllEndedBefore(other, "guarded", child);
    }

    @Test
    @Tag("ci")
    void aGuardThatIsKilledBeforeTheLockIsAcquiredIsReplaced() throws Exception {
        Child child;
        try (Lease held = other.lock("awaited").acquire(Duration.ZERO)) {
            child = start(
                    server.uri(), "--lock", "awaited", "--lease", "5s", "--wait", "60s", "--", "sh", "-c", STUBBORN);
            awaitWaiters(other, "awaited", 1);
            long guard = guardOf(child);
            Child.kill("KILL", guard);
            Await.await("another guard", () -> guardOf(child) != guard && guardOf(child) != 0);
            assertThat(held.isValid()).isTrue();
        }
        child.awaitPid("grandchild");

        child.signal("KILL");

        assertAllEndedBefore(other, "awaited", child);
    }

    private static long guardOf(Child child) {
        return ProcessHandle.of(child.pid())
                .orElseThrow()
                .children()
                .filter(process -> process.info().commandLine().orElse("").contains("holdfast-guard"))
                .mapToLong(ProcessHandle::pid)
                .findFirst()
                .orElse(0);
    }

    @Test
    @Tag("ci")
    void threeAtOnceTakeTurnsWithRisingTokens() throws Exception {
        Path log = temp.resolve("turns");
        String[] turn = {
            "sh",
            "-c",
            "echo $$ >$D/command; echo begin $HOLDFAST_TOKEN >>" + log + "; sleep 0.1; echo end $HOLDFAST_TOKEN >>"
                    + log
        };
        List<Child> three = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            three.add(exec(server, "turns", "30s", turn));
        }
        for (Child child : three) {
            assertThat(child.exitCode()).as(child.errors()).isZero();
        }
        List<String> lines = Files.readAllLines(log);
        assertThat(lines).hasSize(6);
        long last = 0;
        for (int i = 0; i < 6; i += 2) {
            long token = Long.parseLong(lines.get(i).substring("begin ".length()));
            assertThat(lines.get(i + 1)).isEqualTo("end " + token);
            assertThat(token).isGreaterThan(last);
            last = token;
        }
    }

    /** Another client gets the lock when its lease has ended, and nobody has written anything since. */
    private static void assertAllEndedBefore(Holdfast client, String lock, Child child) throws Exception {
        try (Lease next = client.lock(lock).acquire(Duration.ofSeconds(20))) {
            long got = System.currentTimeMillis() * 1_000_000;
            assertThat(next.isValid()).isTrue();
            assertGone(child);
            assertThat(child.lines("lives")).allMatch(line -> line.isEmpty() || Long.parseLong(line) <= got);
        }
    }

    private static void assertGone(Child child) throws Exception {
        assertThat(Child.lives(child.awaitPid("command"))).as("command lives").isFalse();
        assertThat(Child.lives(child.awaitPid("grandchild")))
                .as("grandchild lives")
                .isFalse();
    }

    private Child stubborn(RedisServer store, String lock, String lease) throws Exception {
        Child child = begun(store, lock, lease, "sh", "-c", STUBBORN);
        child.awaitPid("grandchild");
        return child;
    }

    private Child begun(RedisServer store, String lock, String lease, String... command) throws Exception {
        Child child = exec(store, lock, lease, command);
        child.awaitPid("command");
        return child;
    }

    private Child exec(RedisServer store, String lock, String lease, String... command) throws IOException {
        List<String> args = new ArrayList<>(List.of("--lock", lock, "--lease", lease, "--"));
        args.addAll(List.of(command));
        return start(store.uri(), args.toArray(String[]::new));
    }
}
