package io.holdfast.testkit.crowd;

import io.holdfast.testkit.Await;
import io.holdfast.testkit.check.HistoryChecker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Processes whose threads contend for three names: a lock, a fair lock, and a read/write lock. In each process, bystanders also
 * hold names of their own. Meanwhile, a test injects faults into the server. At the end, the history of all holds is checked.
 */
public final class Crowd implements AutoCloseable {

    private static final int ROUNDS = 2;

    private final String uri;
    private final Duration lease;
    private final int size;
    private final int threads;
    private final HistoryChecker history = new HistoryChecker();
    private final List<CrowdProcess> processes = new ArrayList<>();
    private final List<CrowdProcess> killed = new ArrayList<>();

    /**
     * What a crowd has done.
     *
     * @param grants the number of holds
     * @param waits the number of holds for which a thread has waited
     * @param losses the number of losses that were reported to owners
     * @param failures the number of calls that failed because of a fault, by the class of the exception
     */
    public record Outcome(int grants, int waits, int losses, Map<String, Integer> failures) {

        @Override
        public String toString() {
            return grants + " grants, " + waits + " waits, " + losses + " losses, failed calls " + failures;
        }
    }

    private Crowd(String uri, Duration lease, int size, int threads) {
        this.uri = uri;
        this.lease = lease;
        this.size = size;
        this.threads = threads;
    }

    /**
     * Starts the processes, and waits until each of their threads has held a lock. They have the class path of this JVM.
     *
     * @param threads the number of threads of each process
     */
    public static Crowd start(String uri, Duration lease, int processes, int threads) throws IOException {
        Crowd crowd = new Crowd(uri, lease, processes, threads);
        boolean started = false;
        try {
            crowd.fill();
            started = true;
            return crowd;
        } finally {
            if (!started) {
                crowd.close();
            }
        }
    }

    /** Starts a process for each one that was killed, and waits until all threads are served. */
    public void fill() throws IOException {
        while (processes.size() < size) {
            processes.add(CrowdProcess.start(uri, lease, threads, history));
        }
        awaitAllServed();
    }

    /** Lets time pass while a fault lasts, or while the crowd works. */
    public void work(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /**
     * Waits until each thread has held a lock twice since this call.
     *
     * @throws AssertionError if that takes longer than the limit
     */
    public void awaitAllServed(Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        awaitAllServed();
        if (System.nanoTime() - end > 0) {
            throw new AssertionError("all threads were served, but not within " + limit);
        }
    }

    private void awaitAllServed() {
        Map<CrowdProcess, Map<String, Integer>> before = new HashMap<>();
        processes.forEach(process -> before.put(process, process.served()));
        Await.until("all threads are served: " + before, () -> {
            processes.forEach(CrowdProcess::requireNoErrors);
            return processes.stream()
                    .allMatch(process -> process.isServedSince(before.getOrDefault(process, Map.of()), ROUNDS));
        });
    }

    /** Kills a process, one of whose threads holds a lock while others wait. */
    public void killOne() {
        Await.until("one holds a lock", () -> processes.stream().anyMatch(CrowdProcess::holds));
        CrowdProcess victim =
                processes.stream().filter(CrowdProcess::holds).findFirst().orElse(processes.get(0));
        victim.kill();
        processes.remove(victim);
        killed.add(victim);
    }

    /**
     * Ends the processes, and checks the history.
     *
     * @throws AssertionError if a promise was broken, or if a call failed by something that no fault explains
     */
    public Outcome end() {
        processes.forEach(CrowdProcess::end);
        killed.forEach(CrowdProcess::requireNoErrors);
        List<CrowdProcess> all = new ArrayList<>(killed);
        all.addAll(processes);
        history.check(System.nanoTime());
        Map<String, Integer> failures = new TreeMap<>();
        all.forEach(process -> process.failures().forEach((name, count) -> failures.merge(name, count, Integer::sum)));
        return new Outcome(
                history.grants(),
                all.stream().mapToInt(CrowdProcess::waits).sum(),
                all.stream().mapToInt(CrowdProcess::losses).sum(),
                failures);
    }

    /** Kills all processes. */
    @Override
    public void close() {
        processes.forEach(CrowdProcess::kill);
    }
}
