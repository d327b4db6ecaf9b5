package io.holdfast.embedded.redis;

import static io.holdfast.embedded.redis.Await.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whichever way a JVM ends, the server it has started ends with it and leaves no file. */
@Timeout(180)
@Tag("everywhere")
class JvmDeathTest {

    /** Session leader of its group where the platform can do that, so that a signal to the group spares this JVM. */
    private static final String OWN_SESSION = "exec $(command -v setsid) \"$@\"";

    @TempDir
    Path temp;

    @TempDir
    Path errors;

    private final List<Process> children = new ArrayList<>();

    @AfterEach
    void endChildren() {
        children.forEach(Process::destroyForcibly);
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "paused", "killed", "restarted"})
    void killedJvmLeavesNothing(String state) throws Exception {
        Process jvm = spawn(state);
        Left left = new Left(jvm.inputReader().readLine());

        jvm.destroyForcibly();

        left.awaitGone();
        assertThat(temp).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"exit", "halt", "throw"})
    void jvmThatEndsByItselfLeavesNothing(String way) throws Exception {
        Process jvm = spawn(way);
        Left left = new Left(jvm.inputReader().readLine());

        jvm.outputWriter().close();

        left.awaitGone();
        assertThat(temp).isEmptyDirectory();
    }

    @Test
    void killedJvmLeavesTheFolderOfTheCallerAlone(@TempDir Path data) throws Exception {
        Process jvm = spawn("plain", data.toString());
        Left left = new Left(jvm.inputReader().readLine());

        jvm.destroyForcibly();

        left.awaitGone();
        assertThat(temp).isEmptyDirectory();
        assertThat(data.resolve("redis.log")).exists();
    }

    @Test
    void startThatFailsLeavesNothing() throws Exception {
        Process jvm = spawn("fail");

        assertThat(jvm.waitFor()).isNotZero();

        assertThat(temp).isEmptyDirectory();
    }

    @Test
    void signalToTheWholeGroupLeavesTheServerToTheShutdownHooks() throws Exception {
        Process jvm = spawn("hook");
        BufferedReader out = jvm.inputReader();
        Left left = new Left(out.readLine());

        sh("kill -TERM -$1 2>/dev/null || kill -TERM $1", Long.toString(jvm.pid()));

        assertThat(out.readLine()).isEqualTo("untouched");
        left.awaitGone();
        assertThat(temp).isEmptyDirectory();
    }

    private Process spawn(String... args) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>(List.of("sh", "-c", OWN_SESSION, "sh", java));
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Djava.io.tmpdir=" + temp));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), ChildMain.class.getName()));
        command.addAll(List.of(args));
        Process jvm = new ProcessBuilder(command)
                .redirectError(errors.resolve("stderr").toFile())
                .start();
        children.add(jvm);
        return jvm;
    }

    private static void sh(String script, String arg) throws Exception {
        assertThat(new ProcessBuilder("sh", "-c", script, "sh", arg).start().waitFor())
                .isZero();
    }

    /** What a child has told of its server. */
    private static final class Left {

        private final long pid;
        private final int port;
        private final Path home;

        Left(String line) {
            String[] words = line.split(" ", 3);
            pid = Long.parseLong(words[0]);
            port = Integer.parseInt(words[1]);
            home = Path.of(words[2]);
        }

        void awaitGone() throws Exception {
            await("process " + pid + " is gone", () -> !Processes.lives(pid));
            await("port " + port + " is free", () -> Processes.canBind(port));
            await(home + " is removed", () -> !Files.exists(home));
        }
    }
}
