package io.holdfast.cli.exec;

import static io.holdfast.cli.exec.Await.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** {@code holdfast exec} in a process of its own, with a folder for what it and its command write. */
final class Child implements AutoCloseable {

    /** From this Java on, it warns of what Netty does, unless told that this is known. */
    private static final int QUIET_FROM = 24;

    static final String MAIN = "io.holdfast.cli.Main";

    /** The exit code of holdfast if its store did not answer in time. */
    static final int UNUSABLE = 69;

    /** How often something is started again that a busy host has kept from an answer in time. */
    static final int RESTARTS = 3;

    private final ProcessBuilder builder;
    private final Path folder;
    private Process process;
    private int restarts = RESTARTS;

    private Child(ProcessBuilder builder, Path folder) throws IOException {
        this.builder = builder;
        this.folder = folder;
        this.process = builder.start();
    }

    /** Signals that the caller of this JVM has ignored are not, unless the prefix says so. */
    static Child start(Path folder, String store, List<String> prefix, String... args) throws IOException {
        Path own = Files.createTempDirectory(folder, "exec-");
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=HUP,INT,TERM"));
        command.addAll(prefix);
        command.addAll(List.of(command("exec")));
        command.addAll(Arrays.asList(args));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("HOLDFAST_STORE", store);
        builder.environment().put("D", own.toString());
        builder.redirectInput(Path.of("/dev/null").toFile());
        builder.redirectOutput(own.resolve("out").toFile());
        builder.redirectError(own.resolve("err").toFile());
        return new Child(builder, own);
    }

    /** What runs holdfast with these arguments. */
    static String[] command(String... args) {
        List<String> command = new ArrayList<>(java());
        command.addAll(FastStart.options());
        command.add(MAIN);
        command.addAll(Arrays.asList(args));
        return command.toArray(String[]::new);
    }

    /** The JVM, without a class path. */
    static List<String> java() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
        command.addAll(List.of("-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UseTransparentHugePages"));
        if (Runtime.version().feature() >= QUIET_FROM) {
            command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        }
        return command;
    }

    long pid() {
        return process.pid();
    }

    int exitCode() throws Exception {
        await("the end of holdfast exec", this::hasEnded);
        return process.exitValue();
    }

    private boolean hasEnded() throws IOException {
        restartIfUnanswered();
        return !process.isAlive();
    }

    /** Starts again what a busy host has kept from an answer in time. Its command has not begun then. */
    void restartIfUnanswered() throws IOException {
        boolean unanswered = !process.isAlive() && process.exitValue() == UNUSABLE;
        if (unanswered && restarts > 0 && lines("command").isEmpty()) {
            System.out.println("started again, because it said: " + errors());
            restarts--;
            process = builder.start();
        }
    }

    /** From now on, {@link #UNUSABLE} is an exit code like any other. */
    void restartNoMore() {
        restarts = 0;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void signal(String name) throws Exception {
        kill(name, pid());
    }

    static void kill(String name, long pid) throws Exception {
        Process kill = new ProcessBuilder("kill", "-s", name, Long.toString(pid)).start();
        assertThat(kill.waitFor()).isZero();
    }

    String output() throws IOException {
        return Files.readString(folder.resolve("out"));
    }

    String errors() throws IOException {
        return Files.readString(folder.resolve("err"));
    }

    /** What the command has written to a file of this name in $D. */
    List<String> lines(String file) throws IOException {
        Path path = folder.resolve(file);
        return Files.exists(path) ? Files.readAllLines(path) : List.of();
    }

    void write(String file) throws IOException {
        Files.createFile(folder.resolve(file));
    }

    /** Waits until the command has written to the file, or holdfast has ended; returns whether it was the first. */
    private boolean hasWritten(String file) throws Exception {
        await("a line in " + file, () -> !lines(file).isEmpty() || hasEnded());
        return !lines(file).isEmpty();
    }

    /** The process id that the command has written to that file. */
    long awaitPid(String file) throws Exception {
        assertThat(hasWritten(file))
                .as(file + " was written by a command that has ended; it said: " + errors())
                .isTrue();
        return Long.parseLong(lines(file).get(0));
    }

    /** Whether it runs: one that has ended, and waits for its new parent to notice, does not. */
    static boolean lives(long pid) throws IOException {
        Process ps = new ProcessBuilder("ps", "-o", "stat=", "-p", Long.toString(pid)).start();
        try (BufferedReader state = ps.inputReader()) {
            return state.lines().anyMatch(line -> !line.isBlank() && !line.startsWith("Z"));
        }
    }

    static void awaitGone(long pid) throws Exception {
        await("the end of process " + pid, () -> !lives(pid));
    }

    /** Ends all of it, also what a fault has left behind. */
    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        List.of("command", "grandchild").forEach(this::destroy);
    }

    private void destroy(String file) {
        try {
            lines(file).stream()
                    .map(Long::parseLong)
                    .flatMap(pid -> ProcessHandle.of(pid).stream())
                    .forEach(ProcessHandle::destroyForcibly);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
