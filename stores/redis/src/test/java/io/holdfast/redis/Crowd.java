package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.HoldfastException;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.Safety;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.StoreProvider;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.check.HistoryChecker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** Clients with some threads each that contend for two names, and a bystander that holds a third all the time. */
final class Crowd implements AutoCloseable {

    private static final int CLIENTS = 2;
    private static final int THREADS = 3;
    private static final String BYSTANDER = "bystander";
    private static final Duration COMMAND = Duration.ofMillis(500);
    private static final long WORK_NANOS = 1_000_000;

    private final Duration lease;
    private final int threadsEach;
    private final IntFunction<Holdfast> opener;
    private final Queue<Turn> turns = new ConcurrentLinkedQueue<>();
    private final Queue<Turn.Unused> unused = new ConcurrentLinkedQueue<>();
    private final Map<String, Long> told = new ConcurrentHashMap<>();
    private final Set<String> unconfirmed = ConcurrentHashMap.newKeySet();
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private final List<Holdfast> clients = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<AtomicLong> served = new ArrayList<>();
    private final Lease bystander;
    private volatile boolean stop;

    Crowd(String uri, Duration lease) {
        this(uri, lease, number -> new RedisStoreProvider());
    }

    /** @param providers opens the store of each client, by its number; the first is the one that has the bystander */
    Crowd(String uri, Duration lease, IntFunction<StoreProvider> providers) {
        this(uri, lease, CLIENTS, THREADS, BYSTANDER, (number, options) -> options.provider(providers.apply(number)));
    }

    /** One client, with a bystander of its own. */
    static Crowd ofOne(String uri, Duration lease, int threads, String bystander, Safety safety) {
        return new Crowd(uri, lease, 1, threads, bystander, (number, options) -> options.safety(safety));
    }

    /** Two clients that each wait for an answer for the given time. */
    static Crowd ofTwo(String uri, Duration lease, Duration commandTimeout, Safety safety) {
        return new Crowd(
                uri,
                lease,
                CLIENTS,
                THREADS,
                BYSTANDER,
                (number, options) -> options.safety(safety).commandTimeout(commandTimeout));
    }

    private Crowd(
            String uri,
            Duration lease,
            int size,
            int threadsEach,
            String bystanderName,
            BiFunction<Integer, HoldfastBuilder, HoldfastBuilder> options) {
        this.lease = lease;
        this.threadsEach = threadsEach;
        opener = number -> options.apply(
                        number,
                        Holdfast.builder()
                                .uri(uri)
                                .name("crowd" + number)
                                .lease(lease)
                                .commandTimeout(COMMAND)
                                .listener(this::onEvent))
                .build();
        for (int i = 0; i < size; i++) {
            clients.add(opener.apply(i));
        }
        bystander = acquired(clients.get(0).lock(bystanderName));
        clients.forEach(this::contend);
    }

    private void contend(Holdfast client) {
        start(client, round -> "n" + round % 2);
    }

    /** One more client contends for the two names. */
    void addClient() {
        Holdfast client = opener.apply(clients.size());
        clients.add(client);
        contend(client);
    }

    /** Asks again if there was no answer: the command timeout is short for two processes that start on a busy machine. */
    private static Lease acquired(DistributedLock lock) {
        List<Lease> leases = new ArrayList<>(1);
        Await.until("the bystander has its lock", () -> {
            try {
                lock.tryAcquire().ifPresent(leases::add);
            } catch (IndeterminateLockException | StoreUnavailableException e) {
                // no answer in time: what may be held is being released
                return false;
            }
            return !leases.isEmpty();
        });
        return leases.get(0);
    }

    private void start(Holdfast client, IntFunction<String> names) {
        for (int i = 0; i < threadsEach; i++) {
            AtomicLong count = new AtomicLong();
            Thread thread = new Thread(() -> run(client, names, count), "crowd-" + served.size());
            served.add(count);
            threads.add(thread);
            thread.start();
        }
    }

    /** Further threads of the first client pass a name on among themselves; by one tenure, as nobody else wants it. */
    void passOnAlone(String name) {
        start(clients.get(0), round -> name);
    }

    /** Further threads of the second client want the name. */
    void contendFor(String name) {
        start(clients.get(1), round -> name);
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

    /** All turns there were. */
    List<Turn> turns() {
        return List.copyOf(turns);
    }

    /** All holds that were lost before their turns began. */
    List<Turn.Unused> unused() {
        return List.copyOf(unused);
    }

    HistoryChecker history() {
        HistoryChecker history = new HistoryChecker();
        turns.forEach(turn -> turn.report(history));
        return history;
    }

    private void onEvent(LockEvent event) {
        if (event instanceof LockEvent.Lost lost) {
            told.putIfAbsent(lost.name() + lost.fencingToken(), System.nanoTime());
        } else if (event instanceof LockEvent.ReleaseUnconfirmed release) {
            unconfirmed.add(release.name() + release.fencingToken());
        }
    }

    private void run(Holdfast client, IntFunction<String> names, AtomicLong count) {
        for (int round = 0; !stop; round++) {
            DistributedLock lock = client.lock(names.apply(round));
            try {
                lock.lock();
                work(client, lock, count);
            } catch (HoldfastException | LeaseLostException e) {
                errors.add(e);
            }
        }
    }

    private void work(Holdfast client, DistributedLock lock, AtomicLong count) {
        Turn turn = turnOrUnlock(client, lock);
        try {
            turns.add(turn);
            LockSupport.parkNanos(WORK_NANOS);
            turn.look(lock);
            count.incrementAndGet();
        } finally {
            turn.end(lock);
        }
    }

    /** A hold that was lost at once was never used. */
    private Turn turnOrUnlock(Holdfast client, DistributedLock lock) {
        try {
            return new Turn(client.clientId(), lock);
        } catch (LeaseLostException e) {
            long unlocking = System.nanoTime();
            try {
                lock.unlock();
            } finally {
                unused.add(new Turn.Unused(client.clientId(), lock.name(), unlocking, System.nanoTime()));
            }
            throw e;
        }
    }

    /** How often each thread was served. */
    List<Long> served() {
        return served.stream().map(AtomicLong::get).toList();
    }

    /** Everybody is served again within a lease, a claim window and a back-off, and pauses of a busy machine. */
    void healthyAgain() {
        awaitAllServed(this::served, lease, () -> "errors: " + errors);
    }

    static void awaitAllServed(Supplier<List<Long>> served, Duration lease, Supplier<String> more) {
        List<Long> before = served.get();
        long end = System.nanoTime() + lease.plusSeconds(20).toNanos();
        for (int i = 0; i < before.size(); i++) {
            int who = i;
            Await.until(
                    "number " + who + " is served again; " + more.get(),
                    () -> served.get().get(who) > before.get(who) + 2);
        }
        assertThat(System.nanoTime()).as("when all were served again").isLessThan(end);
    }

    /** Returns {@code true} if the unlock returned without an answer of the store. Only the listener is notified of a later loss. */
    boolean unlockedUnconfirmed(Turn turn) {
        return unconfirmed.contains(turn.name + turn.token);
    }

    void stop() {
        stop = true;
        threads.forEach(Crowd::join);
        Await.until(
                "the listener is told of all losses",
                () -> turns.stream()
                        .filter(Turn::wasRefused)
                        .allMatch(turn -> told.containsKey(turn.name + turn.token)));
        turns.forEach(turn -> turn.toldAt(told.getOrDefault(turn.name + turn.token, Turn.NEVER)));
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A master that was just promoted refuses what replicas have to confirm until they are connected to it. */
    void assertErrorsWereForeseen() {
        assertThat(errors)
                .allMatch(e -> e instanceof StoreUnavailableException
                        || e instanceof IndeterminateLockException
                        || e instanceof LeaseLostException
                        || (e instanceof StoreRefusedException && e.getMessage().contains("replicas are connected")))
                .allMatch(e -> e.getMessage().contains("lock 'n"));
    }

    void assertBystanderWasNotDisturbed() {
        assertThat(bystander.isValid()).isTrue();
    }

    void assertBystanderWasTold(long notLaterThan) {
        String key = bystander.name() + bystander.fencingToken();
        Await.until("the bystander is told", () -> told.containsKey(key));
        assertThat(told.get(key)).isLessThan(notLaterThan);
        assertThat(bystander.isValid()).isFalse();
    }

    /** Everything is settled, no name is held or awaited, and after the end nothing is left but token counters. */
    void assertNothingIsLeft(Servers servers) {
        closeBystander();
        Await.until(
                "all is settled", () -> clients.stream().allMatch(c -> c.stats().unsettled() == 0));
        Await.until("no name is held or awaited", () -> clients.get(0).list("").isEmpty());
        assertThat(clients).allMatch(c -> c.stats().held() == 0 && c.stats().waiting() == 0);
        end();
        assertThat(servers.keysOf("")).as("what is left at the server").allMatch(key -> key.matches("hf:\\{.*}:t:"));
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
        end();
    }

    private void end() {
        stop();
        clients.forEach(Holdfast::close);
        Await.threadsGone("holdfast-crowd");
    }
}
