package io.holdfast.testkit.crowd;

import io.holdfast.testkit.check.HistoryChecker;
import io.holdfast.testkit.check.HistoryChecker.Hold;
import io.holdfast.testkit.cluster.JavaCommand;
import io.holdfast.testkit.cluster.Signals;
import io.holdfast.testkit.cluster.SuspendableMachine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** A process of a crowd as its parent sees it. A thread reads what the process prints, and adds it to the history. */
public final class CrowdProcess {

    private static final long END_SECONDS = 60;
    private static final int STOPS = 20;
    private static final long READ_NANOS = 5_000_000;
    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final String uri;
    private final SuspendableMachine machine;
    private final Process process;
    private final int threads;
    private final HistoryChecker history;
    private final Thread reader = new Thread(this::read, "reader of a crowd");
    private final ReentrantLock mutex = new ReentrantLock();

    // ---- guarded by the mutex

    /** The holds that were not released, by their numbers. */
    private final Map<Long, Held> held = new HashMap<>();

    /** All holds by name and token. A loss may be reported after the release that has found it. */
    private final Map<List<Object>, List<Held>> all = new HashMap<>();

    /** The times of losses that were reported before the grant. */
    private final Map<List<Object>, Long> early = new HashMap<>();

    private final Map<String, Integer> served = new HashMap<>();
    private final Map<String, Integer> failures = new HashMap<>();
    private final List<CrowdViolation> violations = new ArrayList<>();

    /** The times for which the process was stopped. */
    private final List<Stop> stops = new ArrayList<>();

    private int waits;
    private int losses;
    private boolean done;

    private record Stop(long from, long to, boolean suspended) {

        private long within(long start, long end) {
            return Math.max(0, Math.min(to, end) - Math.max(from, start));
        }
    }

    /** A hold, and the end of its validity as far as its thread has seen it. */
    private static final class Held {

        private final String thread;
        private final Hold hold;
        private long validUntil;

        /** The time when its thread has last seen that it was valid. */
        private long seenValid;

        private boolean lost;

        Held(String thread, Hold hold) {
            this.thread = thread;
            this.hold = hold;
        }

        void valid(long at, long until) {
            seenValid = at;
            validUntil = Math.max(validUntil, until);
            hold.validUntil(until);
        }

        boolean contends() {
            return !lost && !thread.startsWith(CrowdLine.BYSTANDER);
        }
    }

    private CrowdProcess(String uri, SuspendableMachine machine, Process process, int threads, HistoryChecker history) {
        this.uri = uri;
        this.machine = machine;
        this.process = process;
        this.threads = threads;
        this.history = history;
    }

    static CrowdProcess start(String uri, CrowdPlan plan, HistoryChecker history) throws IOException {
        SuspendableMachine machine = new SuspendableMachine();
        Process process = new ProcessBuilder(JavaCommand.of(
                        List.of("-Xmx128m"),
                        plan.member(),
                        uri,
                        Long.toString(plan.lease().toMillis()),
                        Integer.toString(plan.threads()),
                        machine.file().toString()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        CrowdProcess started = new CrowdProcess(uri, machine, process, plan.threads(), history);
        started.reader.start();
        return started;
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ", -1);
                // the last line of a process that is killed may be cut off
                if (words[words.length - 1].equals(CrowdLine.END)) {
                    locked(() -> {
                        note(words);
                        return true;
                    });
                }
            }
        } catch (IOException | RuntimeException e) {
            // nothing that it prints from now on is known
            locked(() -> violations.add(new CrowdViolation(CrowdLine.ERROR.name(), process.pid() + ": " + e)));
        }
    }

    private void note(String[] words) {
        CrowdLine line = CrowdLine.valueOf(words[0]);
        switch (line) {
            case GRANT -> grant(words);
            case VALID ->
                Objects.requireNonNull(held.get(Long.parseLong(words[1])))
                        .valid(Long.parseLong(words[2]), Long.parseLong(words[3]));
            case RELEASE -> release(Long.parseLong(words[1]), Long.parseLong(words[2]));
            case LOST -> lose(words[1], Long.parseLong(words[2]), Long.parseLong(words[3]));
            case FAILURE -> failures.merge(words[1], 1, Integer::sum);
            case ERROR, LATE ->
                violations.add(new CrowdViolation(line.name(), process.pid() + ": " + String.join(" ", words)));
            case DONE -> done = true;
        }
    }

    private void grant(String[] words) {
        String name = words[2];
        String thread = words[3];
        long token = Long.parseLong(words[4]);
        long at = Long.parseLong(words[7]);
        String owner = process.pid() + "/" + thread;
        Hold hold = Boolean.parseBoolean(words[5])
                ? history.grantedToRead(name, owner, token, at)
                : history.granted(name, owner, token, at);
        Held granted = new Held(thread, hold);
        granted.valid(at, Long.parseLong(words[8]));
        held.put(Long.parseLong(words[1]), granted);
        all.computeIfAbsent(List.of(name, token), key -> new ArrayList<>()).add(granted);
        Long lost = early.remove(List.<Object>of(name, token));
        if (lost != null) {
            lose(granted, lost);
        }
        served.merge(thread, 1, Integer::sum);
        waits += Boolean.parseBoolean(words[6]) ? 1 : 0;
    }

    private void release(long id, long at) {
        Held released = held.remove(id);
        // a hold that was lost before its first look has no grant
        if (released != null) {
            long active = at - suspended(released.seenValid, at);
            released.hold.released(active > released.validUntil ? at : Math.min(at, released.validUntil));
        }
    }

    private void lose(String name, long token, long at) {
        losses++;
        List<Object> key = List.of(name, token);
        if (all.containsKey(key)) {
            all.get(key).forEach(each -> lose(each, at));
        } else {
            early.put(key, at);
        }
    }

    /** Returns for how long the machine was suspended, whose clock then says that less time has passed. */
    private long suspended(long from, long to) {
        return stops.stream()
                .filter(Stop::suspended)
                .mapToLong(stop -> stop.within(from, to))
                .sum();
    }

    /**
     * Notes a loss. The timer and the callback of its owner may be late on a busy machine, though not by much, and do not run while
     * the process is stopped.
     */
    private void lose(Held lost, long at) {
        long stopped = stops.stream()
                .mapToLong(stop -> stop.within(lost.validUntil, at))
                .sum();
        boolean inTime = at - lost.validUntil - stopped < LATE_NANOS;
        lost.lost = true;
        lost.hold.lost(inTime ? Math.min(at, lost.validUntil) : at);
    }

    @Override
    public String toString() {
        return "process " + process.pid();
    }

    /** Returns the URI of the store that the process uses. */
    public String uri() {
        return uri;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Returns how often each thread was served. */
    Map<String, Integer> served() {
        return locked(() -> Map.copyOf(served));
    }

    boolean isServedSince(Map<String, Integer> before, int rounds) {
        Map<String, Integer> now = new HashMap<>(served());
        now.keySet().removeIf(thread -> thread.startsWith(CrowdLine.BYSTANDER));
        return now.size() == threads
                && now.entrySet().stream()
                        .allMatch(each -> each.getValue() >= before.getOrDefault(each.getKey(), 0) + rounds);
    }

    /** Returns {@code true} if a thread that contends holds a lock. */
    boolean holds() {
        return locked(() -> held.values().stream().anyMatch(Held::contends));
    }

    int waits() {
        return locked(() -> waits);
    }

    int losses() {
        return locked(() -> losses);
    }

    Map<String, Integer> failures() {
        return locked(() -> Map.copyOf(failures));
    }

    List<CrowdViolation> violations() {
        return locked(() -> List.copyOf(violations));
    }

    // ---- faults

    /** Stops the process while an action runs, if possible while one of its threads that contend holds a lock. */
    public void whileStopped(Runnable action) {
        stopWhile(() -> Signals.stop(process.pid()), action, () -> Signals.resume(process.pid()), false);
    }

    /** Suspends the machine of the process while an action runs, at such a moment, too. */
    public void whileSuspended(Runnable action) {
        stopWhile(() -> machine.suspend(process.pid()), action, () -> machine.resume(process.pid()), true);
    }

    private void stopWhile(Runnable stop, Runnable action, Runnable resume, boolean suspended) {
        long from = stopInTurn(stop, resume);
        try {
            action.run();
        } finally {
            // noted before the process goes on, because that may report a loss at once
            locked(() -> stops.add(new Stop(from, System.nanoTime(), suspended)));
            resume.run();
        }
    }

    /** Returns the time of the stop. */
    private long stopInTurn(Runnable stop, Runnable resume) {
        for (int attempt = 1; ; attempt++) {
            long from = System.nanoTime();
            stop.run();
            // what it has printed before arrives
            LockSupport.parkNanos(READ_NANOS);
            if (holds() || attempt == STOPS) {
                return from;
            }
            resume.run();
            LockSupport.parkNanos(READ_NANOS);
        }
    }

    /** Kills the process. Its holds end now, because nobody relies on them any more. */
    void kill() {
        long now = System.nanoTime();
        destroy();
        awaitEnd();
        Collection<Held> open = locked(() -> List.copyOf(held.values()));
        open.forEach(each -> each.hold.released(now));
    }

    /** Lets the process end. */
    void close() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lets the process end in order, and waits for its end. */
    void end() {
        close();
        if (!hasEnded()) {
            destroy();
        }
        awaitEnd();
        locked(() -> done
                || violations.add(new CrowdViolation(
                        CrowdLine.ERROR.name(), process.pid() + " did not end in order within " + END_SECONDS + " s")));
    }

    /** Kills it, and lets the reader read what it has printed: {@link Process#destroyForcibly} closes that. */
    private void destroy() {
        process.toHandle().destroyForcibly();
    }

    private boolean hasEnded() {
        try {
            return process.waitFor(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void awaitEnd() {
        if (!hasEnded()) {
            throw new AssertionError(process.pid() + " was killed, and did not end within " + END_SECONDS + " s");
        }
        try {
            reader.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        machine.close();
    }

    private <T> T locked(Supplier<T> action) {
        mutex.lock();
        try {
            return action.get();
        } finally {
            mutex.unlock();
        }
    }
}
