package io.holdfast.benchmarks;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.benchmarks.Pairs.Figures;
import io.holdfast.benchmarks.Pairs.Subject;
import io.holdfast.embedded.redis.RedisServer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Three figures: a pair of one thread, and pairs of 32 threads with a lock each, against the same two scripts through bare
 * Lettuce; and pairs of 32 threads on one lock, against the JDK's locks. All subjects in alternating rounds of one run, on
 * one server on this machine; medians over the rounds. Every case with one lock checks exclusion.
 *
 * <p>Run with the class path of this module: {@code java io.holdfast.benchmarks.FirstFigures [seconds a round] [uri]}.
 */
public final class FirstFigures {

    private static final int ROUNDS = 3;
    private static final int MANY = 32;

    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicLong violations = new AtomicLong();
    private final LongAdder pairs = new LongAdder();
    private final long millis;

    private FirstFigures(long millis) {
        this.millis = millis;
    }

    /** Prints the figures. */
    public static void main(String[] args) {
        long millis = args.length > 0 ? Long.parseLong(args[0]) * 1_000 : 3_000;
        if (args.length > 1) {
            new FirstFigures(millis).run(args[1]);
            return;
        }
        try (RedisServer server = RedisServer.start()) {
            new FirstFigures(millis).run(server.uri());
        }
    }

    private void run(String uri) {
        try (Holdfast holdfast = Holdfast.connect(uri);
                Floor floor = new Floor(uri)) {
            DistributedLock[] own = new DistributedLock[MANY];
            for (int i = 0; i < MANY; i++) {
                own[i] = holdfast.lock("own-" + i);
            }
            Subject distinct = thread -> pair(own[thread]);
            print("1 thread", 1, Map.of("holdfast", distinct, "floor", floor::pair));
            print("32 threads, a lock each", MANY, Map.of("holdfast", distinct, "floor", floor::pair));
            DistributedLock one = holdfast.lock("one");
            Lock fair = new ReentrantLock(true);
            Lock unfair = new ReentrantLock();
            print(
                    "32 threads, one lock",
                    MANY,
                    Map.of(
                            "holdfast", thread -> exclusive(one),
                            "jdk fair", thread -> exclusive(fair),
                            "jdk unfair", thread -> exclusive(unfair)));
        }
    }

    private void pair(Lock lock) {
        lock.lock();
        try {
            pairs.increment();
        } finally {
            lock.unlock();
        }
    }

    private void exclusive(Lock lock) {
        lock.lock();
        try {
            if (inside.incrementAndGet() != 1) {
                violations.incrementAndGet();
            }
            inside.decrementAndGet();
        } finally {
            lock.unlock();
        }
    }

    private void warmUp(Subject subject, int threads) {
        var unused = Pairs.run(subject, threads, millis, violations);
    }

    private void print(String what, int threads, Map<String, Subject> subjects) {
        Map<String, List<Figures>> rounds = new TreeMap<>();
        SortedMap<String, Subject> inTurn = new TreeMap<>(subjects);
        inTurn.values().forEach(subject -> warmUp(subject, threads));
        for (int round = 0; round < ROUNDS; round++) {
            inTurn.forEach((name, subject) -> rounds.computeIfAbsent(name, n -> new ArrayList<>())
                    .add(Pairs.run(subject, threads, millis, violations)));
        }
        System.out.printf("%n%s%n", what);
        rounds.forEach((name, all) -> {
            all.sort(Comparator.comparingLong(Figures::perSecond));
            Figures median = all.get(all.size() / 2);
            long wrong = all.stream().mapToLong(Figures::violations).sum();
            System.out.printf(
                    "  %-10s %,12d /s   p50 %8.1f us   p99.9 %9.1f us   violations %d%n",
                    name, median.perSecond(), median.p50Micros(), median.p999Micros(), wrong);
        });
    }
}
