package io.holdfast.examples.web.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process that is paused continues when the process that paused it dies. */
@Timeout(180)
class PauseTest {

    /** Stops the given process, says so, and lives on. */
    static final class Stopper {

        private Stopper() {}

        public static void main(String[] arguments) throws Exception {
            Pause.of(Long.parseLong(arguments[0]));
            System.out.println("stopped");
            TimeUnit.SECONDS.sleep(25);
        }
    }

    @Test
    void aPausedProcessContinuesAtTheEnd() throws Exception {
        Process victim = new ProcessBuilder("sleep", "60").start();
        Pause pause = Pause.of(victim.pid());
        assertThat(awaitState(victim.pid(), "T")).isTrue();
        pause.end();
        assertThat(awaitState(victim.pid(), "S")).isTrue();
        victim.destroyForcibly();
    }

    @Test
    void aPausedProcessContinuesWhenTheOneThatPausedItIsKilled() throws Exception {
        Process victim = new ProcessBuilder("sleep", "60").start();
        Process stopper = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Stopper.class.getName(),
                        Long.toString(victim.pid())))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertThat(stopper.inputReader().readLine()).isEqualTo("stopped");
        assertThat(awaitState(victim.pid(), "T")).isTrue();

        stopper.destroyForcibly();

        assertThat(awaitState(victim.pid(), "S")).isTrue();
        victim.destroyForcibly();
    }

    private static boolean awaitState(long pid, String state) throws Exception {
        for (int i = 0; i < 2_000; i++) {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            if (stat.substring(stat.lastIndexOf(')') + 2).startsWith(state)) {
                return true;
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
        return false;
    }
}
