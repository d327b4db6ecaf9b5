package io.holdfast.cli.demo;

import io.holdfast.examples.flashsale.Job;
import io.holdfast.examples.flashsale.Worker;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** One worker JVM, from the point of view of this process. */
final class WorkerProcess {

    private static final int QUIET_FROM = 24;

    private final String name;
    private final Process process;
    private final BufferedWriter in;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<Void> end;
    private volatile String lastLine = "";
    private volatile boolean killed;

    private WorkerProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        this.in = process.outputWriter();
        this.end = CompletableFuture.allOf(process.onExit(), listen());
    }

    static WorkerProcess start(String name, Job job) throws IOException {
        Process process =
                new ProcessBuilder(command()).redirectErrorStream(true).start();
        WorkerProcess worker = new WorkerProcess(name, process);
        worker.write(job.toLines());
        return worker;
    }

    private static List<String> command() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx128m"));
        command.addAll(List.of("-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UseTransparentHugePages"));
        if (Runtime.version().feature() >= QUIET_FROM) {
            command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        }
        command.addAll(archive());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Worker.class.getName()));
        return command;
    }

    /** The archive of classes with which this process was started, if any. It halves the start of a worker. */
    private static List<String> archive() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("-XX:SharedArchiveFile="))
                .toList();
    }

    private CompletableFuture<Void> listen() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread reader = new Thread(() -> {
            read();
            ready.completeExceptionally(new IOException(name + " said: " + lastLine));
            done.complete(null);
        });
        reader.setName(name + "-output");
        reader.setDaemon(true);
        reader.start();
        return done;
    }

    private void read() {
        try (BufferedReader out = process.inputReader()) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                take(line);
            }
        } catch (IOException e) {
            lastLine = e.toString();
        }
    }

    private void take(String line) {
        if (line.equals(Worker.READY)) {
            ready.complete(null);
        } else if (!line.startsWith("\t")) {
            lastLine = line;
        }
    }

    /** Returns a future that completes when the worker is ready for the start. It fails if the worker ends before that. */
    CompletableFuture<Void> ready() {
        return ready;
    }

    /** Returns a future that completes when the worker is gone. */
    CompletableFuture<Void> end() {
        return end;
    }

    void go() throws IOException {
        write(Worker.GO + "\n");
    }

    private void write(String text) throws IOException {
        in.write(text);
        in.flush();
    }

    boolean halted() {
        return !process.isAlive() && process.exitValue() == Worker.HALTED;
    }

    Optional<String> failure() {
        if (killed || process.isAlive() || halted() || process.exitValue() == 0) {
            return Optional.empty();
        }
        return Optional.of(name + " failed with exit code " + process.exitValue() + ": " + lastLine);
    }

    void kill() {
        if (process.isAlive()) {
            killed = true;
            process.destroyForcibly();
        }
    }
}
