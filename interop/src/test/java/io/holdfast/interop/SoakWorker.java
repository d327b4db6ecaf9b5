package io.holdfast.interop;

import io.holdfast.DistributedLock;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;

/** A process that locks and unlocks names at random, and then tells what it held. */
final class SoakWorker {

    private static final int NAMES = 5;

    /** From this name on they are read/write locks, at which three of four come to read. */
    private static final int SHARED = 3;

    private static final int THREADS = 4;
    private static final int MOST_HOLD_NANOS = 2_000_000;
    private static final int MOST_REST_NANOS = 1_000_000;
    private static final long PATIENCE_MILLIS = 200;

    private final Kind kind;
    private final Kind.Client client;
    private final Queue<SoakHistory.Held> held = new ConcurrentLinkedQueue<>();

    private SoakWorker(Kind kind, Kind.Client client) {
        this.kind = kind;
        this.client = client;
    }

    /** Kind, server, number and seconds; begins when it is told to. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Kind kind = Kind.valueOf(args[0]);
        PrintStream out = System.out;
        try (Kind.Client client = kind.connect(args[1], Duration.ofSeconds(30))) {
            SoakWorker worker = new SoakWorker(kind, client);
            client.lock("warm-" + args[2]).lock();
            client.lock("warm-" + args[2]).unlock();
            out.println("ready");
            if (System.in.read() < 0) {
                return;
            }
            worker.work(Long.parseLong(args[2]), Long.parseLong(args[3]));
            worker.held.forEach(out::println);
        }
        out.flush();
        System.exit(0);
    }

    private void work(long number, long seconds) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Random random = new Random(number * THREADS + i);
            Thread thread = new Thread(() -> work(random, end));
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void work(Random random, long end) {
        while (System.nanoTime() - end < 0) {
            int number = random.nextInt(NAMES);
            String name = "soak-" + number;
            boolean reads = number >= SHARED && random.nextInt(4) > 0;
            Lock lock = number < SHARED ? client.lock(name) : half(client.readWriteLock(name), reads);
            long wanted = System.nanoTime();
            if (take(lock, random.nextInt(10))) {
                long start = System.nanoTime();
                long token = lock instanceof DistributedLock ours ? ours.fencingToken() : 0;
                LockSupport.parkNanos(random.nextInt(MOST_HOLD_NANOS));
                long released = System.nanoTime();
                lock.unlock();
                held.add(new SoakHistory.Held(kind, name, reads, token, wanted, start, released));
            }
            LockSupport.parkNanos(random.nextInt(MOST_REST_NANOS));
        }
    }

    private static Lock half(ReadWriteLock lock, boolean reads) {
        return reads ? lock.readLock() : lock.writeLock();
    }

    /** Mostly for as long as it takes; sometimes not at all, or for a while, or with a lease of its own. */
    private static boolean take(Lock lock, int way) {
        try {
            return switch (way) {
                case 0 -> lock.tryLock();
                case 1 -> lock.tryLock(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
                case 2 -> {
                    Kind.lock(lock, Duration.ofSeconds(10));
                    yield true;
                }
                default -> {
                    lock.lock();
                    yield true;
                }
            };
        } catch (InterruptedException e) {
            throw new UncheckedIOException(new IOException(e));
        }
    }
}
