package io.holdfast.benchmarks;

import io.holdfast.benchmarks.work.Job;
import io.holdfast.benchmarks.work.Worker;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** One worker JVM, from the point of view of this process. */
final class WorkerProcess implements AutoCloseable {

    private static final int QUIET_FROM = 24;
    private static final int SECONDS_TO_END = 10;
    private static final int LINES_OF_ERRORS = 5;
    private static final String END = "";

    private final Path errors;
    private final Process process;
    private final BufferedWriter in;

    /** Starts the process, and passes each of its lines, and its end, to the consumer. */
    WorkerProcess(Job job, List<String> options, Consumer<Said> hearer) throws IOException {
        errors = Path.of(job.board() + "-errors-" + job.process());
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx2g");
        command.addAll(options);
        if (Runtime.version().feature() >= QUIET_FROM) {
            command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Worker.class.getName()));
        command.addAll(job.toArguments());
        process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        in = process.outputWriter();
        Thread thread = new Thread(() -> listen(hearer), "answers");
        thread.setDaemon(true);
        thread.start();
    }

    /** A line of a process. The text is empty when the process has ended. */
    record Said(WorkerProcess by, String line) {

        /** Returns the line, or throws if it reports a failure. */
        String answer() throws IOException {
            if (line.equals(END)) {
                throw new IOException(by.ended());
            }
            if (line.startsWith(Worker.FAILED)) {
                throw new IOException(line.substring(Worker.FAILED.length()));
            }
            return line;
        }
    }

    private void listen(Consumer<Said> hearer) {
        try (BufferedReader out = process.inputReader()) {
            out.lines().filter(line -> !line.isEmpty()).forEach(line -> hearer.accept(new Said(this, line)));
        } catch (IOException | UncheckedIOException e) {
            process.destroyForcibly();
        }
        hearer.accept(new Said(this, END));
    }

    private String ended() throws IOException {
        destroy();
        List<String> lines = Files.exists(errors) ? Files.readAllLines(errors) : List.of();
        return "the process ended with exit code " + process.exitValue()
                + lines.stream()
                        .skip(Math.max(0, lines.size() - LINES_OF_ERRORS))
                        .collect(Collectors.joining(" | ", ": ", ""));
    }

    void begin(long millis) throws IOException {
        try {
            in.write(millis + "\n");
            in.flush();
        } catch (IOException e) {
            throw new IOException(ended(), e);
        }
    }

    /** Returns the CPU time that the process has used, as the operating system counts it. */
    Duration cpu() throws IOException {
        Optional<Duration> used = process.toHandle().info().totalCpuDuration();
        if (used.isEmpty() && !process.isAlive()) {
            throw new IOException(ended());
        }
        return used.orElseThrow(() -> new UnsupportedOperationException("this system gives no data about processes"));
    }

    /** Closes the input, at which the process ends. Kills it if it does not. */
    @Override
    public void close() {
        try {
            in.close();
            process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            destroy();
        }
    }

    /** Kills the process and waits until it is gone, so that the next subject has the machine to itself. */
    void destroy() {
        process.destroyForcibly()
                .onExit()
                .orTimeout(SECONDS_TO_END, TimeUnit.SECONDS)
                .join();
    }
}
