package io.holdfast.examples.web.demo;

import io.holdfast.examples.web.Paths;
import io.holdfast.examples.web.Shop;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One instance of the shop in a process of its own. It ends with this JVM, however that ends: its standard input is a pipe from
 * this JVM, and it ends when the pipe does.
 */
final class Instance {

    private static final Duration START_LIMIT = Duration.ofMinutes(5);
    private static final Duration END_LIMIT = Duration.ofSeconds(10);
    private static final int KEPT_LINES = 30;
    private static final int QUIET_FROM = 24;

    /** The exit code of a process that was ended by SIGKILL. */
    private static final int KILLED = 128 + 9;

    private static final Set<Instance> RUNNING = ConcurrentHashMap.newKeySet();

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final int number;
    private final Process process;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Deque<String> lastLines = new ArrayDeque<>();
    private final CompletableFuture<Integer> port = new CompletableFuture<>();

    private Instance(int number, Process process) {
        this.number = number;
        this.process = process;
    }

    /** Starts an instance, which will listen on a free port of the loopback interface. */
    static Instance start(int number, List<String> arguments) throws IOException {
        Process process = new ProcessBuilder(command(number, arguments))
                .redirectErrorStream(true)
                .start();
        Instance instance = new Instance(number, process);
        RUNNING.add(instance);
        Thread reader = new Thread(instance::read, "instance-" + number);
        reader.setDaemon(true);
        reader.start();
        return instance;
    }

    private static List<String> command(int number, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx192m"));
        command.addAll(List.of("-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UseTransparentHugePages"));
        if (Runtime.version().feature() >= QUIET_FROM) {
            command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Shop.class.getName()));
        command.addAll(List.of("--server.port=0", "--shop.instance=" + number, "--shop.ends-with-input=true"));
        command.addAll(arguments);
        return command;
    }

    private void read() {
        try (BufferedReader out = process.inputReader()) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                take(line);
            }
        } catch (IOException e) {
            keep(e.toString());
        }
        port.completeExceptionally(new IOException("instance " + number + " has ended: " + output()));
    }

    private void take(String line) {
        if (line.startsWith(Shop.READY)) {
            port.complete(Integer.valueOf(line.substring(Shop.READY.length()).trim()));
        } else {
            keep(line);
        }
    }

    private void keep(String line) {
        mutex.lock();
        try {
            lastLines.add(line);
            if (lastLines.size() > KEPT_LINES) {
                lastLines.remove();
            }
        } finally {
            mutex.unlock();
        }
    }

    /** Returns the last lines that the instance printed. */
    String output() {
        mutex.lock();
        try {
            return String.join("\n", lastLines);
        } finally {
            mutex.unlock();
        }
    }

    /** Waits until the instance serves requests, and returns its address. */
    URI awaitReady() throws IOException, InterruptedException {
        try {
            return URI.create("http://127.0.0.1:" + port.get(START_LIMIT.toSeconds(), TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            throw new IOException(String.valueOf(e.getCause()), e);
        } catch (TimeoutException e) {
            throw new IOException(
                    "instance " + number + " did not start within " + START_LIMIT.toSeconds() + " s: " + output(), e);
        }
    }

    /**
     * Waits until the instance works on no purchase. It may still work on one that the proxy has given up.
     *
     * @return {@code false} if it still works on one after the time
     */
    boolean awaitIdle(Duration limit) throws IOException, InterruptedException {
        URI question = awaitReady().resolve(Paths.RUNNING);
        long end = System.nanoTime() + limit.toNanos();
        do {
            HttpRequest request =
                    HttpRequest.newBuilder(question).timeout(limit).build();
            if (CLIENT.send(request, HttpResponse.BodyHandlers.ofString())
                    .body()
                    .equals("0")) {
                return true;
            }
            TimeUnit.MILLISECONDS.sleep(20);
        } while (System.nanoTime() - end < 0);
        return false;
    }

    int number() {
        return number;
    }

    long pid() {
        return process.pid();
    }

    /** Returns {@code true} if the process was ended by SIGKILL, as its exit code proves. */
    boolean wasKilled() {
        return !process.isAlive() && process.exitValue() == KILLED;
    }

    /** Kills the process with SIGKILL, and returns when it is gone. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        if (!process.waitFor(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("process " + pid() + " outlived SIGKILL for " + END_LIMIT);
        }
        RUNNING.remove(this);
    }

    /** Kills all instances that still run, without waiting. */
    static void killAll() {
        RUNNING.forEach(instance -> instance.process.destroyForcibly());
    }
}
