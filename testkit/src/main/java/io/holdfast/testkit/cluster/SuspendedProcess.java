package io.holdfast.testkit.cluster;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A process that holds locks, and reports how many of them are valid, on a machine that can be suspended. */
final class SuspendedProcess implements AutoCloseable {

    private static final long REPORT_MILLIS = 10;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** What the process reports. */
    record Report(boolean wasSuspended, int valid, int lost) {

        private String text() {
            return wasSuspended + " " + valid + " " + lost;
        }

        private static Report of(String text) {
            String[] words = text.split(" ", 3);
            return new Report(Boolean.parseBoolean(words[0]), Integer.parseInt(words[1]), Integer.parseInt(words[2]));
        }
    }

    private final SuspendableMachine machine = new SuspendableMachine();
    private final Process process;
    private final BufferedReader reports;

    /** Starts a process that acquires locks whose names begin with a prefix and end with a number from 0 on. */
    SuspendedProcess(String uri, String prefix, int locks) throws IOException {
        process = new ProcessBuilder(JavaCommand.of(
                        SuspendedProcess.class,
                        uri,
                        prefix,
                        Integer.toString(locks),
                        machine.file().toString()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        reports = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Returns the next report. Fails if the process has ended. */
    Report next() {
        try {
            String line = reports.readLine();
            if (line == null) {
                throw new AssertionError("the process has ended");
            }
            return Report.of(line);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    void suspend() {
        machine.suspend(process.pid());
    }

    void resume() {
        machine.resume(process.pid());
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        reports.close();
        machine.close();
    }

    /** Acquires a lock, although a busy machine may let requests of this process be too late. */
    private static Lease acquired(DistributedLock lock) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                return lock.acquire();
            } catch (HoldfastException e) {
                if (System.nanoTime() - end > 0) {
                    throw e;
                }
            }
        }
    }

    /** Holds locks and reports, until it is killed, or the standard input ends: {@code URI PREFIX LOCKS FILE}. */
    public static void main(String[] args) throws IOException, InterruptedException {
        SuspendablePlatform platform = SuspendableMachine.platform(Path.of(args[3]));
        AtomicInteger lost = new AtomicInteger();
        Holdfast client = Holdfast.builder()
                .uri(args[0])
                .platform(platform)
                .connectTimeout(PATIENCE)
                .listener(event -> lost.addAndGet(event instanceof LockEvent.Lost ? 1 : 0))
                .build();
        List<Lease> held = new ArrayList<>();
        for (int number = 0; number < Integer.parseInt(args[2]); number++) {
            held.add(acquired(client.lock(args[1] + number)));
        }
        try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            while (!System.out.checkError() && !input.ready()) {
                // read first, so that a report of a suspended machine was made after it
                boolean wasSuspended = platform.suspendedNanos() > 0;
                int valid = (int) held.stream().filter(Lease::isValid).count();
                System.out.println(new Report(wasSuspended, valid, lost.get()).text());
                TimeUnit.MILLISECONDS.sleep(REPORT_MILLIS);
            }
        }
        Runtime.getRuntime().halt(0);
    }
}
