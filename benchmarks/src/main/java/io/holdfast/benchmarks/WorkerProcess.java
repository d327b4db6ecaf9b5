package io.holdfast.benchmarks;

import io.holdfast.benchmarks.work.Answer;
import io.holdfast.benchmarks.work.Job;
import io.holdfast.benchmarks.work.Worker;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One worker JVM, from here. */
final class WorkerProcess implements AutoCloseable {

    private static final int QUIET_FROM = 24;
    private static final int SECONDS_TO_END = 10;

    private final Job job;
    private final Process process;
    private final BufferedWriter in;
    private final BufferedReader out;

    WorkerProcess(Job job, List<String> options, Path log) throws IOException {
        this.job = job;
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx2g");
        command.addAll(options);
        if (Runtime.version().feature() >= QUIET_FROM) {
            command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Worker.class.getName()));
        command.addAll(job.toArguments());
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        in = process.outputWriter();
        out = process.inputReader();
    }

    void awaitReady() throws IOException {
        String line = read();
        if (!line.equals(Worker.READY)) {
            throw new IOException(job + " said " + line);
        }
    }

    void begin(long millis) throws IOException {
        in.write(millis + "\n");
        in.flush();
    }

    Answer answer() throws IOException {
        return Answer.of(read());
    }

    private String read() throws IOException {
        String line = out.readLine();
        if (line == null) {
            throw new IOException(job + " ended");
        }
        return line;
    }

    /** What it has used of the processors so far, as the operating system counts it. */
    Duration cpu() {
        return process.toHandle()
                .info()
                .totalCpuDuration()
                .orElseThrow(() -> new UnsupportedOperationException("this system tells nothing about processes"));
    }

    /** It ends with its input; if it does not, it is ended. */
    @Override
    public void close() throws IOException {
        in.close();
        try {
            if (!process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        out.close();
    }
}
