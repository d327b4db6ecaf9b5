package io.holdfast.testkit.engine;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.testkit.Simulation;
import io.holdfast.testkit.check.HistoryChecker;
import io.holdfast.testkit.faults.Fault;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Locks of all kinds under two names. */
final class RandomWork extends RandomClients {

    /** What happened in one run. */
    record Tally(long grants, long contendedWaits, long retaken, Map<Fault, Long> faults) {}

    private static final LockOptions LINGERING = LockOptions.defaults().withLinger(Duration.ofMillis(250));

    private enum Order {
        BARGING,
        FAIR,
        MIXED,
        LINGERING,
        READ_WRITE
    }

    private final Order order;
    private final HistoryChecker history = new HistoryChecker();
    /** Those who read may have one together. */
    private final Map<String, Deque<HistoryChecker.Hold>> byToken = new HashMap<>();

    private final Map<DistributedLock, DistributedLock> reading = new HashMap<>();
    private long contended;

    private RandomWork(Simulation sim, long seed) {
        super(sim);
        Order[] orders = Order.values();
        this.order = orders[(int) Math.floorMod(seed, (long) orders.length)];
    }

    static Tally run(long seed) {
        try (Simulation sim = Simulation.of(seed)) {
            return new RandomWork(sim, seed).run();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + ", replay with -Dholdfast.seeds=1 -Dholdfast.seed=" + seed, e);
        }
    }

    static List<String> log(long seed) {
        try (Simulation sim = Simulation.of(seed)) {
            var unused = new RandomWork(sim, seed).run();
            return List.copyOf(sim.log());
        }
    }

    private Tally run() {
        work();
        Tally tally = tally();
        history.check(now());
        end();
        return tally;
    }

    private Tally tally() {
        Map<Fault, Long> faults = new EnumMap<>(Fault.class);
        server.connections()
                .forEach(c -> c.faults().counts().forEach((fault, count) -> faults.merge(fault, count, Long::sum)));
        long retaken =
                clients.stream().mapToLong(client -> client.stats().retaken()).sum();
        return new Tally(history.grants(), contended, retaken, faults);
    }

    @Override
    void onEvent(LockEvent event) {
        if (event instanceof LockEvent.Lost lost) {
            Deque<HistoryChecker.Hold> holds =
                    byToken.getOrDefault(lost.name() + lost.fencingToken(), new ArrayDeque<>());
            Optional.ofNullable(holds.poll()).ifPresent(hold -> hold.lost(now()));
        }
    }

    @Override
    void once(Holdfast client) throws InterruptedException {
        boolean own = order == Order.LINGERING && random(4) > 0;
        once(lock(client, "n" + (own ? clients.indexOf(client) : random(2))));
    }

    private DistributedLock lock(Holdfast client, String name) {
        return switch (order) {
            case BARGING -> client.lock(name, perhapsLingering());
            case FAIR -> client.fairLock(name);
            case MIXED -> random(2) == 0 ? client.lock(name, perhapsLingering()) : client.fairLock(name);
            case LINGERING -> client.lock(name, LINGERING);
            case READ_WRITE -> readOrWrite(client.readWriteLock(name));
        };
    }

    private LockOptions perhapsLingering() {
        return random(2) == 0 ? LINGERING : LockOptions.defaults();
    }

    private DistributedLock readOrWrite(DistributedReadWriteLock lock) {
        return switch (random(5)) {
            case 0, 1 -> lock.readLock();
            default -> writing(lock);
        };
    }

    private DistributedLock writing(DistributedReadWriteLock lock) {
        reading.put(lock.writeLock(), lock.readLock());
        return lock.writeLock();
    }

    private static boolean reads(DistributedLock lock) {
        return lock.toString().startsWith("read");
    }

    private void once(DistributedLock lock) throws InterruptedException {
        switch (random(6)) {
            case 0 -> inThread(lock, lock.tryLock());
            case 1 -> inThread(lock, lock.tryLock(millis(500)));
            case 2 -> inThread(lock, lock.tryLock(millis(500), Duration.ofMillis(100 + random(400))));
            case 3 ->
                interruptedSoon(() -> {
                    lock.lockInterruptibly();
                    inThread(lock, true);
                });
            case 4 ->
                cancelledPerhaps(lock.async().tryAcquire(millis(400)))
                        .ifPresent(lease -> inside(lock, lease.fencingToken(), lease::remainingLease, lease::close));
            default -> {
                lock.lock();
                inThread(lock, true);
            }
        }
    }

    private void inThread(DistributedLock lock, boolean held) {
        contended += held ? 0 : 1;
        if (!held) {
            return;
        }
        DistributedLock beside = reading.get(lock);
        if (beside != null && random(3) == 0) {
            readOn(lock, beside);
            return;
        }
        if (random(4) == 0) {
            nested(lock);
        }
        long token = tokenOrUnlock(lock);
        inside(lock, token, lock::remainingLease, lock::unlock);
    }

    /** Writes no more, and reads without a break. */
    private void readOn(DistributedLock write, DistributedLock read) {
        try {
            read.lock();
        } catch (HoldfastException | LeaseLostException e) {
            write.unlock();
            throw e;
        }
        try {
            write.unlock();
        } catch (HoldfastException | LeaseLostException e) {
            read.unlock();
            throw e;
        }
        inThread(read, true);
    }

    private void nested(DistributedLock lock) {
        try {
            lock.lock();
        } catch (HoldfastException | LeaseLostException e) {
            lock.unlock();
            throw e;
        }
        lock.unlock();
    }

    /** A hold that was lost at once was never used. */
    private static long tokenOrUnlock(DistributedLock lock) {
        try {
            return lock.fencingToken();
        } catch (LeaseLostException e) {
            lock.unlock();
            throw e;
        }
    }

    private interface Remaining {
        Duration now();
    }

    private void inside(DistributedLock lock, long token, Remaining remaining, Runnable release) {
        String name = lock.name();
        String owner = Thread.currentThread().getName();
        HistoryChecker.Hold hold = reads(lock)
                ? history.grantedToRead(name, owner, token, now())
                : history.granted(name, owner, token, now());
        byToken.computeIfAbsent(name + token, first -> new ArrayDeque<>()).add(hold);
        sim.log("got " + name + " " + token);
        Duration left = remaining.now();
        hold.validUntil(left.isZero() ? now() : now() + left.toNanos());
        for (int i = random(20) == 0 ? 30 : random(6); i > 0; i--) {
            sim.sleep(millis(60));
            left = remaining.now();
            if (!left.isZero()) {
                hold.validUntil(now() + left.toNanos());
            }
        }
        hold.released(now());
        byToken.get(name + token).remove(hold);
        release.run();
    }
}
