package io.holdfast.virtual;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that locks in Redis with the default driver gets no warning from a JDK that will take something away. */
class WarningsTest {

    @TempDir
    Path folder;

    /** What the other process does. */
    static final class Locks {

        public static void main(String[] args) {
            try (Holdfast holdfast = Holdfast.builder()
                    .uri("embedded:redis")
                    .connectTimeout(Duration.ofSeconds(30))
                    .build()) {
                DistributedLock lock = holdfast.lock("orders");
                lock.run(() -> System.out.println("locked"));
            }
        }
    }

    @Test
    void theJdkWarnsOfNothing() throws Exception {
        Path said = folder.resolve("said");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Locks.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(Files.readString(said)).contains("locked").doesNotContain("WARNING");
    }
}
