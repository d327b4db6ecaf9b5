package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.check.HistoryChecker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Two clients with three threads each that contend for two names, and a bystander that holds a third all the time. */
final class Crowd implements AutoCloseable {

    private static final int CLIENTS = 2;
    private static final int THREADS = 3;
    private static final Duration COMMAND = Duration.ofMillis(500);
    private static final long WORK_NANOS = 1_000_000;

    private final Duration lease;
    private final HistoryChecker history = new HistoryChecker();
    private final Map<String, HistoryChecker.Hold> byToken = new ConcurrentHashMap<>();
    private final Map<String, List<Long>> tokens = new ConcurrentHashMap<>();
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private final List<Holdfast> clients = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<AtomicLong> served = new ArrayList<>();
    private final Lease bystander;
    private volatile boolean stop;

    Crowd(String uri, Duration lease) {
        this.lease = lease;
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(Holdfast.builder()
                    .uri(uri)
                    .name("crowd" + i)
                    .lease(lease)
                    .commandTimeout(COMMAND)
                    .listener(this::onEvent)
                    .build());
        }
        bystander = clients.get(0).lock("bystander").tryAcquire().orElseThrow();
        for (int i = 0; i < CLIENTS * THREADS; i++) {
            startThread(clients.get(i % CLIENTS), i);
        }
    }

    private void startThread(Holdfast client, int number) {
        AtomicLong count = new AtomicLong();
        served.add(count);
        Thread thread = new Thread(() -> run(client, count), "crowd-" + number);
        threads.add(thread);
        thread.start();
    }

    /** Lets time pass while a fault lasts or work is done; there is no condition to wait for. */
    static void pass(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    void work(Duration time) {
        pass(time);
    }

    HistoryChecker history() {
        return history;
    }

    private void onEvent(LockEvent event) {
        if (event instanceof LockEvent.Lost lost) {
            HistoryChecker.Hold hold = byToken.get(lost.lockName() + lost.token());
            if (hold != null) {
                hold.lost(System.nanoTime());
            }
        }
    }

    private void run(Holdfast client, AtomicLong count) {
        for (int round = 0; !stop; round++) {
            DistributedLock lock = client.lock("n" + round % 2);
            try {
                lock.lock();
                hold(client, lock, count);
            } catch (HoldfastException | LeaseLostException e) {
                errors.add(e);
            }
        }
    }

    private void hold(Holdfast client, DistributedLock lock, AtomicLong count) {
        try {
            HistoryChecker.Hold hold = history.granted(
                    lock.name(), Thread.currentThread().getName(), lock.fencingToken(), System.nanoTime());
            byToken.put(lock.name() + lock.fencingToken(), hold);
            tokens.computeIfAbsent(client.clientId() + lock.name(), key -> new CopyOnWriteArrayList<>())
                    .add(lock.fencingToken());
            hold.validUntil(System.nanoTime() + lock.remainingLease().toNanos());
            LockSupport.parkNanos(WORK_NANOS);
            hold.validUntil(System.nanoTime() + lock.remainingLease().toNanos());
            hold.released(System.nanoTime());
            count.incrementAndGet();
        } finally {
            lock.unlock();
        }
    }

    /** Everybody is served again within a lease, a claim window and a back-off. */
    void healthyAgain() {
        List<Long> before = served.stream().map(AtomicLong::get).toList();
        long end = System.nanoTime() + lease.plusSeconds(4).toNanos();
        for (int i = 0; i < served.size(); i++) {
            int who = i;
            Await.until(
                    "crowd-" + who + " is served again, errors: " + errors,
                    () -> served.get(who).get() > before.get(who) + 2);
        }
        assertThat(System.nanoTime()).as("when all were served again").isLessThan(end);
    }

    void stop() {
        stop = true;
        threads.forEach(Crowd::join);
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * While an overlap lasts, the side that was forgotten goes on with its own tokens, all lower than those of the new side:
     * that is what a resource refuses it by. On each side they rise, and no token is given twice.
     */
    void assertTokensRiseOnEachSide() {
        assertThat(tokens.values())
                .allSatisfy(ofOneClient -> assertThat(ofOneClient).isSorted());
        for (String name : List.of("n0", "n1")) {
            List<Long> all = tokens.entrySet().stream()
                    .filter(entry -> entry.getKey().endsWith(name))
                    .flatMap(entry -> entry.getValue().stream())
                    .toList();
            assertThat(all).isNotEmpty().doesNotHaveDuplicates();
        }
    }

    void assertErrorsWereForeseen() {
        assertThat(errors)
                .allMatch(e -> e instanceof StoreUnavailableException
                        || e instanceof IndeterminateLockException
                        || e instanceof LeaseLostException)
                .allMatch(e -> e.getMessage().contains("lock 'n"));
    }

    void assertBystanderWasNotDisturbed() {
        assertThat(bystander.isValid()).isTrue();
    }

    /** Everything is settled, and at most the bystander's name is still held. */
    void assertNothingIsLeft() {
        closeBystander();
        Await.until(
                "all is settled", () -> clients.stream().allMatch(c -> c.stats().unsettled() == 0));
        Await.until("no name is held or awaited", () -> clients.get(0).list("").isEmpty());
        assertThat(clients).allMatch(c -> c.stats().held() == 0 && c.stats().waiting() == 0);
    }

    private void closeBystander() {
        try {
            bystander.close();
        } catch (LeaseLostException e) {
            errors.add(e);
        }
    }

    @Override
    public void close() {
        stop();
        clients.forEach(Holdfast::close);
        Await.until(
                "the clients' threads are gone",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("holdfast-crowd")));
    }
}
