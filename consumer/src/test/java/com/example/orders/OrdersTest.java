package com.example.orders;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The application runs on a real Redis, with what a user's build puts on its path and nothing else. */
class OrdersTest {

    private static final String MAIN = "com.example.orders.Orders";
    private static final int LIMIT_S = 60;

    /** The folder that was empty of Holdfast: nothing else may have supplied it. */
    private static final Path LOCAL = Path.of(System.getProperty("consumer.local"));

    @TempDir
    Path folder;

    @Test
    void runsOnTheClassPath() throws Exception {
        assertOutput(run("-cp", path(), MAIN), "");
    }

    @Test
    void runsOnTheModulePath() throws Exception {
        assertOutput(
                run("-p", path(), "-m", "com.example.orders/" + MAIN),
                "io.holdfast io.holdfast.embedded.redis io.holdfast.redis io.holdfast.support");
    }

    @Test
    void holdfastComesFromWhereItWasPublished() throws IOException {
        assertThat(path().split(File.pathSeparator))
                .filteredOn(entry -> entry.contains("holdfast-"))
                .hasSize(4)
                .allMatch(entry -> Path.of(entry).startsWith(LOCAL), "loaded to " + LOCAL);
    }

    private static void assertOutput(List<String> lines, String modules) {
        assertThat(lines).hasSize(4);
        assertThat(lines.get(0)).matches("held with token [1-9][0-9]*");
        assertThat(lines.get(1)).isEqualTo("free again");
        assertThat(lines.get(2)).isEqualTo("modules " + modules);
        assertThat(Path.of(URI.create(lines.get(3).replaceFirst("from ", "")))).startsWith(LOCAL);
    }

    private static String path() throws IOException {
        return System.getProperty("consumer.classes")
                + File.pathSeparator
                + Files.readString(Path.of(System.getProperty("consumer.path"))).strip();
    }

    /** What the application prints; it must end by itself, and well. */
    private List<String> run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(arguments));
        command.add("embedded:redis");
        File out = folder.resolve("out").toFile();
        File err = folder.resolve("err").toFile();
        Process process = new ProcessBuilder(command)
                .redirectOutput(out)
                .redirectError(err)
                .start();
        try {
            assertThat(process.waitFor(LIMIT_S, TimeUnit.SECONDS)).as("ended").isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(Files.readString(err.toPath())).isZero();
        return Files.readAllLines(out.toPath());
    }
}
