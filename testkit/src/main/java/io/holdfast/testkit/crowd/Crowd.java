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
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Processes whose threads contend for four names: a lock, a fair lock, a read/write lock, and a semaphore. In each process,
 * bystanders also hold locks for so long that they are renewed. Meanwhile, a test injects faults into the server. At the end, the
 * history of all holds is checked.
 */
public final class Crowd implements AutoCloseable {

    private static final int ROUNDS = 2;
    private static final Duration LOOK = Duration.ofMillis(20);

    private final Supplier<String> uris;
    private final CrowdPlan plan;
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
     * @param violations the promises that were broken
     */
    public record Outcome(
            int grants, int waits, int losses, Map<String, Integer> failures, List<CrowdViolation> violations) {

        @Override
        public String toString() {
            return grants + " grants, " + waits + " waits, " + losses + " losses, failed calls " + failures;
        }
    }

    Crowd(Supplier<String> uris, CrowdPlan plan) {
        this.uris = uris;
        this.plan = plan;
    }

    /** Starts processes that use one store, and waits until each of their threads has held a lock. */
    public static Crowd start(String uri, CrowdPlan plan) throws IOException {
        return start(() -> uri, plan);
    }

    /**
     * Starts processes that each use a store of their own, and waits until each of their threads has held a lock. They have the
     * class path of this JVM.
     */
    public static Crowd start(Supplier<String> uris, CrowdPlan plan) throws IOException {
        Crowd crowd = new Crowd(uris, plan);
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
        replaceKilled();
        awaitAllServed();
    }

    /** Starts a process for each one that was killed. */
    public void replaceKilled() throws IOException {
        while (processes.size() < plan.processes()) {
            processes.add(CrowdProcess.start(uris.get(), plan, history));
        }
    }

    /** Returns the processes that live. */
    public List<CrowdProcess> living() {
        return processes.stream().filter(CrowdProcess::isAlive).toList();
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

    /** Returns a violation for each process of which a thread is not served twice within the limit. */
    public List<CrowdViolation> starved(Duration limit) {
        Map<CrowdProcess, Map<String, Integer>> before = served();
        long end = System.nanoTime() + limit.toNanos();
        List<CrowdProcess> left = new ArrayList<>(processes);
        while (!left.isEmpty() && System.nanoTime() - end < 0) {
            work(LOOK);
            left.removeIf(process -> isServedSince(before, process));
        }
        return left.stream()
                .map(process -> new CrowdViolation(
                        "STARVED", process + " served " + process.served() + ", before: " + before.get(process)))
                .toList();
    }

    private void awaitAllServed() {
        Map<CrowdProcess, Map<String, Integer>> before = served();
        Await.until("all threads are served: " + before, () -> {
            requireNone(processes.stream()
                    .flatMap(each -> each.violations().stream())
                    .toList());
            return processes.stream().allMatch(process -> isServedSince(before, process));
        });
    }

    private Map<CrowdProcess, Map<String, Integer>> served() {
        Map<CrowdProcess, Map<String, Integer>> served = new HashMap<>();
        processes.forEach(process -> served.put(process, process.served()));
        return served;
    }

    private static boolean isServedSince(Map<CrowdProcess, Map<String, Integer>> before, CrowdProcess process) {
        return process.isServedSince(before.getOrDefault(process, Map.of()), ROUNDS);
    }

    /** Kills a process, one of whose threads holds a lock while others wait. */
    public void killOne() {
        Await.until("one holds a lock", () -> processes.stream().anyMatch(CrowdProcess::holds));
        CrowdProcess victim =
                processes.stream().filter(CrowdProcess::holds).findFirst().orElse(processes.get(0));
        kill(victim);
    }

    /** Kills a process. */
    public void kill(CrowdProcess victim) {
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
        Outcome outcome = finish();
        requireNone(outcome.violations());
        return outcome;
    }

    private static void requireNone(List<CrowdViolation> violations) {
        if (!violations.isEmpty()) {
            throw new AssertionError(
                    violations.stream().map(CrowdViolation::toString).collect(Collectors.joining("\n")));
        }
    }

    /** Ends the processes, and returns what they have done, and the promises that were broken. */
    public Outcome finish() {
        processes.forEach(CrowdProcess::close);
        processes.forEach(CrowdProcess::end);
        List<CrowdProcess> all = new ArrayList<>(killed);
        all.addAll(processes);
        List<CrowdViolation> violations = new ArrayList<>();
        Map<String, Integer> failures = new TreeMap<>();
        all.forEach(process -> violations.addAll(process.violations()));
        all.forEach(process -> process.failures().forEach((name, count) -> failures.merge(name, count, Integer::sum)));
        history.violations(System.nanoTime())
                .forEach(each -> violations.add(new CrowdViolation(each.kind().name(), each.text())));
        return new Outcome(
                history.grants(),
                all.stream().mapToInt(CrowdProcess::waits).sum(),
                all.stream().mapToInt(CrowdProcess::losses).sum(),
                failures,
                violations);
    }

    /** Kills all processes. */
    @Override
    public void close() {
        processes.forEach(CrowdProcess::kill);
    }
}
