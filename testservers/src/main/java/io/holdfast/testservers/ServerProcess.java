package io.holdfast.testservers;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A server that can be started, stopped for a while, and killed. It ends when this JVM ends. */
public final class ServerProcess implements AutoCloseable {

    /** Ends the server when the process that has started it is gone, which closes its end of the pipe. */
    private static final String GUARDED =
            "exec 3<&0; \"$@\" 3<&- & server=$!; { cat >/dev/null; kill -9 $server 2>/dev/null; } <&3 & wait $server";

    private static final long SIGNAL_SECONDS = 10;

    private final Path folder;
    private final List<String> command;
    private final Path pidFile;
    private Process process;

    /**
     * Starts the server.
     *
     * @param folder the folder for its log and its temporary files, because the names of two servers' files may be the same
     * @param pidFile the file in which it writes its process id, in the first line
     */
    public ServerProcess(Path folder, Path pidFile, List<String> command) throws IOException {
        this.folder = folder;
        this.pidFile = pidFile;
        this.command = new ArrayList<>(List.of("sh", "-c", GUARDED, "server"));
        this.command.addAll(command);
        start();
    }

    public void start() throws IOException {
        process = started(folder, log(), command);
    }

    private File log() {
        return folder.resolve("server.log").toFile();
    }

    private static Process started(Path folder, File log, List<String> command) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log);
        builder.environment().put("TMPDIR", folder.toString());
        return builder.start();
    }

    /** Runs a command until it ends. */
    public static void run(Path folder, long seconds, List<String> command) throws IOException, InterruptedException {
        File log = folder.resolve("install.log").toFile();
        Process process = started(folder, log, command);
        if (!process.waitFor(seconds, TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new AssertionError(String.join(" ", command) + " failed: " + Files.readString(log.toPath()));
        }
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public String output() throws IOException {
        return Files.readString(log().toPath());
    }

    /** Stops all its processes, so that it accepts connections, and answers nothing. */
    public void pause() {
        signal("-STOP");
    }

    public void resume() {
        signal("-CONT");
    }

    public void kill() {
        signal("-KILL");
        end();
    }

    private void signal(String signal) {
        try {
            ProcessHandle server = ProcessHandle.of(
                            Long.parseLong(Files.readAllLines(pidFile).get(0).strip()))
                    .orElseThrow();
            List<String> kill = new ArrayList<>(List.of("kill", signal));
            Stream.concat(Stream.of(server), server.descendants()).forEach(each -> kill.add("" + each.pid()));
            // one of its children may have ended by itself, of which kill complains
            Process killer = new ProcessBuilder(kill)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!killer.waitFor(SIGNAL_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("kill does not end");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void end() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        process.onExit().join();
    }

    @Override
    public void close() {
        end();
    }
}
