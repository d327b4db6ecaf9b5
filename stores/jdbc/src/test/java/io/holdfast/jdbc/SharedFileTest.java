package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.HoldfastException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.cluster.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that share a file, of which the one that serves it is killed. */
@Tag("ci")
class SharedFileTest {

    /** The lease of one who is killed: those behind it wait that long. */
    private static final Duration LEASE = Duration.ofSeconds(10);

    /** The lease of one who must not lose its lock: a busy machine takes seconds to let another process serve the file. */
    private static final Duration LONG_LEASE = Duration.ofSeconds(45);

    /** Far more than the limits of the clients here, and far less than for ever. */
    private static final Duration LONGEST = Duration.ofSeconds(40);

    @TempDir
    private Path folder;

    private final List<Worker> workers = new ArrayList<>();

    /** What a worker said. */
    private record Line(String what, long token, long nanos) {

        static Line parse(String text) {
            String[] words = text.split(" ", 3);
            return new Line(words[0], Long.parseLong(words[1]), Long.parseLong(words[2]));
        }
    }

    private static final class Worker {

        private final Process process;
        private final List<Line> lines = new CopyOnWriteArrayList<>();

        Worker(String url, Duration lease, Path errors) throws IOException {
            process = new ProcessBuilder(JavaCommand.of(
                            List.of("-Dh2.bindAddress=127.0.0.1"),
                            FileWorker.class,
                            url,
                            Long.toString(lease.toSeconds())))
                    .redirectError(errors.toFile())
                    .start();
            Thread reader = new Thread(this::read);
            reader.setDaemon(true);
            reader.start();
            Await.until("it is ready, or has ended", () -> last("ready").isPresent() || !process.isAlive());
            assertThat(process.isAlive()).as(Files.readString(errors)).isTrue();
        }

        private void read() {
            try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
                for (String line = out.readLine(); line != null; line = out.readLine()) {
                    lines.add(Line.parse(line));
                }
            } catch (IOException e) {
                lines.add(new Line("broken", 0, 0));
            }
        }

        void order() throws IOException {
            OutputStream in = process.getOutputStream();
            in.write('\n');
            in.flush();
        }

        Optional<Line> last(String what) {
            return lines.stream().filter(line -> line.what.equals(what)).reduce((first, second) -> second);
        }

        /** Waits until the condition holds for what it said last. It must not have lost its lock. */
        void awaitHeld(String what, Predicate<Line> condition) {
            Await.until(
                    what,
                    () -> last("lost").isPresent()
                            || last(what).filter(condition).isPresent());
            assertThat(last("lost")).as("of %s", lines).isEmpty();
        }

        Line await(String what) {
            Await.until(what, () -> last(what).isPresent());
            return last(what).orElseThrow();
        }

        /** Its sockets still accept connections, and nobody answers there. */
        void pause() throws Exception {
            Process signal = new ProcessBuilder("kill", "-STOP", Long.toString(process.pid())).start();
            assertThat(signal.waitFor()).isZero();
        }

        void kill() throws InterruptedException {
            process.destroyForcibly().waitFor();
        }
    }

    private Worker start(Duration lease) throws IOException {
        Worker worker =
                new Worker("jdbc:h2:" + folder.resolve("locks"), lease, folder.resolve("errors" + workers.size()));
        workers.add(worker);
        return worker;
    }

    private HoldfastBuilder client() {
        return Holdfast.builder()
                .uri("jdbc:h2:" + folder.resolve("locks"))
                .name("stopped")
                .commandTimeout(Duration.ofSeconds(3));
    }

    private HoldfastBuilder impatient() {
        return client().connectTimeout(Duration.ofSeconds(1));
    }

    @AfterEach
    void killAll() throws Exception {
        for (Worker worker : workers) {
            worker.kill();
        }
    }

    @Test
    void theLockOutlivesTheProcessThatServesIt() throws Exception {
        Worker server = start(LEASE);
        Worker holder = start(LONG_LEASE);
        Worker waiter = start(LEASE);
        holder.order();
        Line granted = holder.await("granted");
        waiter.order();
        server.kill();
        long killed = System.nanoTime();
        // a renewal that is sent proves a lease, less a hundredth and 2 ms
        holder.awaitHeld("valid", line -> line.nanos() > killed + LONG_LEASE.toNanos() * 99 / 100);
        assertThat(waiter.last("granted")).isEmpty();

        holder.order();
        Line released = holder.await("released");
        Line next = waiter.await("granted");
        assertThat(next.nanos()).isGreaterThan(released.nanos());
        assertThat(next.token()).isGreaterThan(granted.token());

        holder.order();
        waiter.await("valid");
        waiter.kill();
        Await.until(
                "it is granted again",
                () -> holder.last("granted").orElseThrow().token() != granted.token());
        Line last = holder.last("granted").orElseThrow();
        assertThat(last.nanos())
                .isGreaterThan(waiter.last("valid").orElseThrow().nanos());
        assertThat(last.token()).isGreaterThan(next.token());
    }

    @Test
    void aNewClientIsToldWhoDoesNotServeTheFile() throws Exception {
        Worker server = start(LEASE);
        server.pause();
        assertTimeoutPreemptively(
                LONGEST,
                () -> assertThatThrownBy(impatient()::build)
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("no answer within 1000 ms from the process that serves the file at ")
                        .hasMessageContaining("(according to " + folder.resolve("locks.lock.db") + ")"));
        assertTimeoutPreemptively(LONGEST, () -> {
            try (Holdfast lazy = impatient().lazy().build()) {
                assertThatThrownBy(lazy.lock("lock")::tryLock)
                        .isInstanceOf(HoldfastException.class)
                        .hasMessageContaining("no answer within 1000 ms from the process that serves the file at ");
            }
        });
        server.kill();
        awaitItsThreads();
    }

    @Test
    void aClientClosesThoughNobodyServesTheFile() throws Exception {
        Worker server = start(LEASE);
        Holdfast connected = client().build();
        assertThat(connected.lock("lock").tryLock()).isTrue();
        server.pause();
        assertTimeoutPreemptively(LONGEST, connected::close);
        server.kill();
        awaitItsThreads();
    }

    /** A statement that was under way when its server died may open the file itself, once more. */
    private void awaitItsThreads() {
        try {
            Await.until("its threads end", () -> itsThreads().isEmpty());
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + ": " + itsThreads(), e);
        }
    }

    private Map<String, List<StackTraceElement>> itsThreads() {
        Map<String, List<StackTraceElement>> found = new TreeMap<>();
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            String name = thread.getName();
            if (name.startsWith("holdfast-stopped") || name.contains(folder.toString())) {
                found.put(name, List.of(stack));
            }
        });
        return found;
    }
}
