package io.holdfast.testkit.cluster;

import io.holdfast.Holdfast;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** A process that holds a lock until it is killed, or until the process that has started it ends. */
public final class HoldingProcess {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private HoldingProcess() {}

    /** Starts a process that acquires a lock. */
    public static Process start(String uri, String name) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        HoldingProcess.class.getName(),
                        uri,
                        name)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Acquires a lock, and holds it until the standard input ends: {@code URI NAME}. */
    public static void main(String[] args) throws IOException {
        Holdfast.builder()
                .uri(args[0])
                .connectTimeout(PATIENCE)
                .build()
                .lock(args[1])
                .lock();
        int end = System.in.read();
        Runtime.getRuntime().halt(end);
    }
}
