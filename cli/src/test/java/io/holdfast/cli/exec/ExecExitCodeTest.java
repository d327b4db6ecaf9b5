package io.holdfast.cli.exec;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.embedded.redis.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What holdfast exec says with its exit code, and to its command. */
class ExecExitCodeTest extends ExecFixture {

    @Test
    void theCommandsOwnCodeAndWhyThereIsNone() throws Exception {
        Child own = exec("own", "sh", "-c", "exit 7");
        Child killed = exec("killed", "sh", "-c", "kill -KILL $$");
        Child missing = exec("missing", "no-such-command");
        Child folder = exec("folder", "/tmp");

        assertThat(own.exitCode()).isEqualTo(7);
        assertThat(own.errors()).isEmpty();
        assertThat(killed.exitCode()).isEqualTo(128 + 9);
        assertThat(missing.exitCode()).isEqualTo(127);
        assertThat(missing.errors()).isEqualTo("holdfast exec: no-such-command: no such command; see PATH\n");
        assertThat(folder.exitCode()).isEqualTo(126);
        assertThat(folder.errors()).startsWith("holdfast exec: /tmp: cannot be executed");
        for (String lock : List.of("own", "killed", "missing", "folder")) {
            assertThat(other.lock(lock).isLocked()).as(lock).isFalse();
        }
    }

    @Test
    void noCommandBeginsWithoutAGuard() throws Exception {
        Path bash = Files.writeString(temp.resolve("bash"), "#!/bin/sh\nexit 3\n");
        assertThat(bash.toFile().setExecutable(true)).isTrue();

        Child child = startUnder(
                List.of("env", "PATH=" + temp + ":" + System.getenv("PATH")),
                server.uri(),
                "--lock",
                "unguarded",
                "--",
                "sh",
                "-c",
                "echo begun");

        assertThat(child.exitCode()).isEqualTo(126);
        assertThat(child.errors())
                .contains(
                        "holdfast exec: the command cannot be guarded: its guard does not start: bash has ended with exit code 3");
        assertThat(child.output()).isEmpty();
        assertThat(other.lock("unguarded").isLocked()).isFalse();
    }

    @Test
    void theStoreAndTheWait() throws Exception {
        try (Lease held = other.lock("held\r\nfree\u001b[2J").acquire(Duration.ZERO)) {
            Child once = start(server.uri(), "--lock", "held\r\nfree\u001b[2J", "--wait", "0s", "--", "true");
            Child later = start(server.uri(), "--lock", "held\r\nfree\u001b[2J", "--wait", "300ms", "--", "true");
            Child nowhere = start("redis://u:secret@127.0.0.1:1", "--lock", "a", "--", "true");
            nowhere.restartNoMore();

            assertThat(once.exitCode()).isEqualTo(75);
            assertThat(once.errors())
                    .startsWith("holdfast exec: lock 'held\\u000d\\u000afree\\u001b[2J' was not acquired")
                    .contains("held by");
            assertThat(later.exitCode()).isEqualTo(75);
            assertThat(nowhere.exitCode()).isEqualTo(69);
            assertThat(nowhere.errors())
                    .startsWith("holdfast exec: ")
                    .contains("nothing listens")
                    .doesNotContain("secret");
            assertThat(held.isValid()).isTrue();
        }
    }

    @Test
    @Tag("ci")
    void aStoreThatGoesWhileWaitingIsNotABusyLock() throws Exception {
        try (RedisServer passing = RedisServer.start();
                Holdfast holder = Holdfast.builder()
                        .uri(passing.uri())
                        .commandTimeout(Duration.ofSeconds(10))
                        .closeTimeout(Duration.ofMillis(1))
                        .build()) {
            holder.lock("a").lock();
            Child waiting = start(passing.uri(), "--lock", "a", "--wait", "6s", "--", "true");
            awaitWaiters(holder, "a", 1);
            waiting.restartNoMore();
            passing.kill();

            assertThat(waiting.exitCode()).isEqualTo(69);
        }
    }

    @Test
    void theCommandIsToldOfItsLockAndGetsItsArgumentsAsTheyAre() throws Exception {
        long before = token("a lock");
        Child child = start(
                server.uri(),
                "--lock",
                "a lock",
                "--",
                "sh",
                "-c",
                "printf '%s|' \"$HOLDFAST_LOCK\" \"$HOLDFAST_TOKEN\" \"$@\"",
                "sh",
                "--",
                "@x",
                "-h",
                "");

        assertThat(child.exitCode()).isZero();
        String[] words = child.output().split("\\|", -1);
        assertThat(words).hasSize(7).startsWith("a lock").endsWith("--", "@x", "-h", "", "");
        assertThat(Long.parseLong(words[1])).isGreaterThan(before).isLessThan(token("a lock"));
    }

    private static long token(String lock) throws InterruptedException {
        try (Lease lease = other.lock(lock).acquire()) {
            return lease.fencingToken();
        }
    }
}
