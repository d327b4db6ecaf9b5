package io.holdfast.testkit.crowd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.testkit.check.HistoryChecker;
import io.holdfast.testkit.check.HistoryChecker.Hold;
import io.holdfast.testkit.cluster.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** A process of a crowd as its parent sees it. A thread reads what the process prints, and adds it to the history. */
final class CrowdProcess {

    private static final long END_SECONDS = 60;
    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(2);

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

    private final Map<String, Integer> served = new HashMap<>();
    private final Map<String, Integer> failures = new HashMap<>();
    private final List<String> errors = new ArrayList<>();
    private int waits;
    private int losses;
    private boolean done;

    /** A hold, and the end of its validity as far as its thread has seen it. */
    private static final class Held {

        private final String thread;
        private final Hold hold;
        private long validUntil;

        Held(String thread, Hold hold) {
            this.thread = thread;
            this.hold = hold;
        }

        void valid(long until) {
            validUntil = Math.max(validUntil, until);
            hold.validUntil(until);
        }

        /** Notes a loss. The timer and the callback of its owner may be late on a busy machine, though not by much. */
        void lost(long at) {
            hold.lost(at - validUntil < LATE_NANOS ? Math.min(at, validUntil) : at);
        }
    }

    private CrowdProcess(Process process, int threads, HistoryChecker history) {
        this.process = process;
        this.threads = threads;
        this.history = history;
    }

    static CrowdProcess start(String uri, Duration lease, int threads, HistoryChecker history) throws IOException {
        Process process = new ProcessBuilder(JavaCommand.of(
                        List.of("-Xmx128m"),
                        CrowdMember.class,
                        uri,
                        Long.toString(lease.toMillis()),
                        Integer.toString(threads)))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        CrowdProcess started = new CrowdProcess(process, threads, history);
        started.reader.start();
        return started;
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ", -1);
                if (words[words.length - 1].equals(CrowdLine.END)) {
                    locked(() -> {
                        note(words);
                        return true;
                    });
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void note(String[] words) {
        switch (CrowdLine.valueOf(words[0])) {
            case GRANT -> grant(words);
            case VALID ->
                Objects.requireNonNull(held.get(Long.parseLong(words[1]))).valid(Long.parseLong(words[2]));
            case RELEASE -> release(Long.parseLong(words[1]), Long.parseLong(words[2]));
            case LOST -> lose(words[1], Long.parseLong(words[2]), Long.parseLong(words[3]));
            case FAILURE -> failures.merge(words[1], 1, Integer::sum);
            case ERROR -> errors.add(String.join(" ", words));
            case DONE -> done = true;
        }
    }

    private void grant(String[] words) {
        String name = words[2];
        String thread = words[3];
        String owner = process.pid() + "/" + thread;
        long token = Long.parseLong(words[4]);
        long at = Long.parseLong(words[7]);
        Hold hold = Boolean.parseBoolean(words[5])
                ? history.grantedToRead(name, owner, token, at)
                : history.granted(name, owner, token, at);
        Held granted = new Held(thread, hold);
        held.put(Long.parseLong(words[1]), granted);
        all.computeIfAbsent(List.of(name, token), key -> new ArrayList<>()).add(granted);
        served.merge(thread, 1, Integer::sum);
        waits += Boolean.parseBoolean(words[6]) ? 1 : 0;
    }

    private void release(long id, long at) {
        Held released = held.remove(id);
        // a hold that was lost before its first look has no grant
        if (released != null) {
            released.hold.released(at);
        }
    }

    private void lose(String name, long token, long at) {
        losses++;
        all.getOrDefault(List.of(name, token), List.of()).forEach(each -> each.lost(at));
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
        return locked(() -> held.values().stream().anyMatch(each -> !each.thread.startsWith(CrowdLine.BYSTANDER)));
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

    /** Kills the process. Its holds end now, because nobody relies on them any more. */
    void kill() {
        process.destroyForcibly();
        awaitEnd();
        long now = System.nanoTime();
        Collection<Held> open = locked(() -> List.copyOf(held.values()));
        open.forEach(each -> each.hold.released(now));
    }

    /** Ends the process in order. */
    void end() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitEnd();
        requireNoErrors();
        assertTrue(locked(() -> done), process.pid() + " ends in order");
    }

    void requireNoErrors() {
        assertEquals(List.of(), locked(() -> List.copyOf(errors)), "errors of " + process.pid());
    }

    private void awaitEnd() {
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(process.pid() + " did not end within " + END_SECONDS + " s");
            }
            reader.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
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
