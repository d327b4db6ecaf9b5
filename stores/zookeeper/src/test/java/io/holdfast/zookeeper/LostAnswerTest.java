package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.recipes.QuorumLock;
import io.holdfast.recipes.QuorumOptions;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.faults.Wire;
import io.holdfast.testservers.ZooKeeperServers;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The server writes a renewal, its answer is lost, and the client has one address and the shortest lease. The client connects again
 * after a pause of up to a second.
 */
class LostAnswerTest {

    private static final Duration LEASE = Duration.ofSeconds(3);

    /** A machine on which a thread does not run, or the server does not answer, for this time has stalled. */
    private static final Duration LATE = Duration.ofMillis(150);

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static final int CUTS = 4;
    private static final int ATTEMPTS = 20;

    private final Wire wire = new Wire(Servers.one().port(0));
    private final List<LockEvent.Lost> losses = new CopyOnWriteArrayList<>();
    private final ZooKeeper admin = admin();
    private final AtomicLong stall = new AtomicLong();

    /** When the server has last answered the thread that measures. */
    private final AtomicLong answered = new AtomicLong(System.nanoTime());

    private volatile boolean over;

    private static ZooKeeper admin() {
        try {
            return Servers.one().client();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @BeforeEach
    void start() {
        Thread meter = new Thread(this::measureStalls, "stalls");
        meter.setDaemon(true);
        meter.start();
    }

    @AfterEach
    void close() throws InterruptedException {
        over = true;
        wire.close();
        admin.close();
    }

    private HoldfastBuilder builder() {
        return Holdfast.builder()
                .uri(ZooKeeperServers.uri("127.0.0.1:" + wire.port(), Duration.ofSeconds(10)))
                .listener(event -> {
                    if (event instanceof LockEvent.Lost lost) {
                        losses.add(lost);
                    }
                });
    }

    @Test
    void costsNoHold() throws Exception {
        try (Holdfast client = builder().lease(LEASE).build()) {
            repeat(name -> {
                Lease held = client.lock(name).acquire();
                int granted = writes(name);
                wire.blockAnswers(true);
                loseAnswer(name, granted);
                // a call while there is no connection, which is answered when there is one
                client.lock(name + "-meanwhile").acquire().close();
                Await.until("it is renewed or lost", () -> !held.isValid() || writes(name) > granted + 1);
                assertThat(held.isValid()).isTrue();
                held.close();
            });
        }
    }

    @Test
    void costsNoCall() throws Exception {
        try (Holdfast client = builder().build()) {
            repeat(name -> {
                // the next request needs no answer before it writes
                client.lock(name).acquire().close();
                Lease held = withoutItsAnswer(name, () -> client.lock(name).acquire());
                withoutItsAnswer(name, () -> {
                    held.close();
                    return held;
                });
            });
        }
    }

    /** A step that loses answers of requests for a name. */
    private interface Step {
        void run(String name) throws Exception;
    }

    /** Repeats a step. A step that fails on a machine that has stalled meanwhile says nothing. */
    private void repeat(Step step) throws Exception {
        int done = 0;
        for (int attempt = 0; done < CUTS && attempt < ATTEMPTS; attempt++) {
            losses.clear();
            stall.set(0);
            try {
                step.run("lost-answer-" + attempt);
                assertThat(losses).isEmpty();
                done++;
            } catch (AssertionError | HoldfastException e) {
                wire.blockAnswers(false);
                if (!hasStalled()) {
                    throw e;
                }
            }
        }
        assumeThat(done).as("steps on a machine that did not stall").isEqualTo(CUTS);
    }

    /** Measures for how long a thread does not run that could, or waits for an answer of the server, until the test ends. */
    private void measureStalls() {
        while (!over) {
            LockSupport.parkNanos(5_000_000);
            try {
                var unused = admin.exists("/", false);
            } catch (InterruptedException | KeeperException e) {
                // the time until then is measured, too
            }
            long now = System.nanoTime();
            stall.accumulateAndGet(now - answered.getAndSet(now), Math::max);
        }
    }

    /** A stall that has not ended yet counts. */
    private boolean hasStalled() {
        return Math.max(stall.get(), System.nanoTime() - answered.get()) >= LATE.toNanos();
    }

    /** Waits until the record of a lock is written, and loses the answer. */
    private void loseAnswer(String name, int writes) {
        Await.until("it is written", () -> writes(name) > writes);
        wire.cut();
        wire.blockAnswers(false);
    }

    /** Makes a call that writes the record of a lock, and loses the answer. Returns what the call returns. */
    private Lease withoutItsAnswer(String name, Callable<Lease> call) throws Exception {
        int before = writes(name);
        wire.blockAnswers(true);
        FutureTask<Lease> task = new FutureTask<>(call);
        Thread caller = new Thread(task, "caller");
        caller.setDaemon(true);
        caller.start();
        loseAnswer(name, before);
        try {
            return task.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof HoldfastException failed ? failed : e;
        }
    }

    /** Returns how often the record of a lock was written. */
    private int writes(String name) {
        try {
            for (String folder : admin.getChildren("/holdfast/r", false)) {
                Stat stat = admin.exists("/holdfast/r/" + folder + "/l" + name, false);
                if (stat != null) {
                    return stat.getVersion() + 1;
                }
            }
            return 0;
        } catch (InterruptedException | KeeperException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void refusesAShorterLease() throws InterruptedException {
        Duration shorter = LEASE.minusMillis(1);
        String text = "lease of 2999 ms is too short for ZooKeeper at ";
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().lease(shorter).build())
                .withMessageStartingWith(text)
                .withMessageEndingWith("pass at least 3000 ms");
        try (Holdfast client = builder().lease(LEASE).build()) {
            LockOptions options = LockOptions.defaults().withLease(shorter);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> client.lock("short", options).lock())
                    .withMessageStartingWith("lock 'short': " + text);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> client.lock("short").tryAcquire(Duration.ZERO, shorter))
                    .withMessageStartingWith("lock 'short': " + text);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> client.semaphore("short").tryAcquire(1, Duration.ZERO, shorter))
                    .withMessageStartingWith("semaphore 'short': " + text);
        }
    }

    @Test
    void refusesAShorterLeaseOfAQuorum() {
        Duration shorter = LEASE.minusMillis(1);
        List<Holdfast> three = IntStream.range(0, 3)
                .mapToObj(i -> Holdfast.connect(TestServer.uri("/member" + i)))
                .toList();
        try {
            QuorumLock lock = QuorumLock.of(three, "short");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> lock.lock(shorter))
                    .withMessageStartingWith("quorum lock 'short'")
                    .withMessageContaining("lease of 2999 ms is too short for ZooKeeper at ");
            LockOptions options = LockOptions.defaults().withLease(shorter);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> QuorumLock.of(
                            three, "short", QuorumOptions.defaults().withLock(options)))
                    .withMessageStartingWith("quorum lock 'short': lease of 2999 ms");
        } finally {
            three.forEach(Holdfast::close);
        }
    }
}
