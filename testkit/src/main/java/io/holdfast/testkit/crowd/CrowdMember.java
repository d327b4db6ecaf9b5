package io.holdfast.testkit.crowd;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.cluster.SuspendableMachine;
import io.holdfast.testkit.crowd.CrowdLock.Held;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A process of a {@link Crowd}. Its threads contend for the names, and bystanders hold names of their own all the time. It
 * prints each event when it happens, so that the events of a process that is killed are known. Times are {@code nanoTime}, which
 * all processes of a host share.
 */
final class CrowdMember {

    private static final long WORK_NANOS = 1_000_000;
    private static final long LOOK_NANOS = 20_000_000;
    /** Bystanders that read, so that their leases are renewed together. */
    private static final int READERS = 3;

    private static final Duration COMMAND = Duration.ofSeconds(1);
    private static final Duration WAIT = Duration.ofSeconds(2);

    /** The time that a call may take beyond its own. */
    private static final Duration LATE = Duration.ofSeconds(2);

    /** On a busy machine, a process that starts needs long to connect. */
    private static final Duration CONNECT = Duration.ofSeconds(30);

    private final Holdfast client;
    private final List<CrowdLock> locks;
    private final Stalls stalls = new Stalls();
    private final AtomicLong lastId = new AtomicLong();
    private volatile boolean over;

    private CrowdMember(String uri, Duration lease, Path machine) {
        client = Holdfast.builder()
                .uri(uri)
                .lease(lease)
                .commandTimeout(COMMAND)
                .connectTimeout(CONNECT)
                .platform(SuspendableMachine.platform(machine))
                .listener(CrowdMember::notified)
                .build();
        locks = CrowdLock.of(client, lease);
    }

    /**
     * Works until its input ends. The arguments are the URI, the lease in milliseconds, the number of threads, and the file of the
     * machine.
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        CrowdMember member =
                new CrowdMember(arguments[0], Duration.ofMillis(Long.parseLong(arguments[1])), Path.of(arguments[3]));
        member.work(Integer.parseInt(arguments[2]));
    }

    private void work(int contenders) throws IOException, InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < contenders; i++) {
            int first = i;
            threads.add(new Thread(() -> contend(first), "thread-" + i));
        }
        String own = "bystander-" + ProcessHandle.current().pid();
        threads.add(new Thread(() -> stand(client.lock(own), false), CrowdLine.BYSTANDER));
        for (int i = 0; i < READERS; i++) {
            DistributedLock reader = client.readWriteLock(own + "-" + i).readLock();
            threads.add(new Thread(() -> stand(reader, true), CrowdLine.BYSTANDER + i));
        }
        stalls.start();
        threads.forEach(Thread::start);
        if (System.in.read() >= 0) {
            throw new IOException("input that is not its end");
        }
        over = true;
        for (Thread thread : threads) {
            thread.join();
        }
        client.close();
        CrowdLine.DONE.say();
    }

    private static void notified(LockEvent event) {
        if (event instanceof LockEvent.Lost lost) {
            CrowdLine.LOST.say(lost.name(), lost.fencingToken(), System.nanoTime());
        }
    }

    private void contend(int first) {
        for (int round = first; !over; round++) {
            CrowdLock lock = locks.get(round % locks.size());
            attempt(() -> turn(lock));
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    /** Fails by nothing that a fault of the server explains. */
    private void attempt(Step step) {
        try {
            step.run();
        } catch (StoreUnavailableException | IndeterminateLockException | LeaseLostException e) {
            CrowdLine.FAILURE.say(e.getClass().getSimpleName());
        } catch (Exception | Error e) {
            CrowdLine.ERROR.say(e);
            over = true;
        }
    }

    private void turn(CrowdLock lock) throws Exception {
        Optional<Held> free = timed("acquire", COMMAND, () -> lock.taking().take(Duration.ZERO));
        Optional<Held> taken = free.isPresent()
                ? free
                : timed("acquire", WAIT.plus(COMMAND), () -> lock.taking().take(WAIT));
        if (taken.isPresent()) {
            hold(lock, taken.get(), free.isEmpty());
        }
    }

    private void hold(CrowdLock lock, Held held, boolean waited) throws Exception {
        long id = lastId.incrementAndGet();
        try {
            grant(id, lock.name(), held.token(), lock.reads(), waited);
            valid(id, held);
            LockSupport.parkNanos(WORK_NANOS);
            valid(id, held);
        } finally {
            release(id, held);
        }
    }

    /** Calls, and reports a call that took too long. The time for which this process did not run does not count. */
    private <T> T timed(String call, Duration time, Callable<T> action) throws Exception {
        long start = System.nanoTime() - stalls.nanos();
        try {
            return action.call();
        } finally {
            long beyond = System.nanoTime() - stalls.nanos() - start - time.toNanos();
            if (beyond > LATE.toNanos()) {
                CrowdLine.LATE.say(call, TimeUnit.NANOSECONDS.toMillis(beyond));
            }
        }
    }

    /** A hold that is no longer valid has ended by a release only if that returns. Otherwise its loss has to be reported. */
    private void release(long id, Held held) throws Exception {
        boolean valid = !held.remaining().isZero();
        if (valid) {
            CrowdLine.RELEASE.say(id, System.nanoTime());
        }
        timed("release", COMMAND, () -> {
            held.release();
            return id;
        });
        if (!valid) {
            CrowdLine.RELEASE.say(id, System.nanoTime());
        }
    }

    private static void grant(long id, String name, long token, boolean reads, boolean waited) {
        CrowdLine.GRANT.say(id, name, Thread.currentThread().getName(), token, reads, waited, System.nanoTime());
    }

    private static void valid(long id, Held held) {
        // read before the lease is, so that a pause in between does not lengthen it
        long now = System.nanoTime();
        long left = held.remaining().toNanos();
        if (left > 0) {
            CrowdLine.VALID.say(id, now + left);
        }
    }

    private void stand(DistributedLock lock, boolean reads) {
        while (!over) {
            attempt(() -> standOnce(lock, reads));
        }
    }

    private void standOnce(DistributedLock lock, boolean reads) throws Exception {
        Lease lease = lock.acquire();
        long id = lastId.incrementAndGet();
        Held held = CrowdLock.held(lease);
        try {
            grant(id, lock.name(), lease.fencingToken(), reads, false);
            while (!over && lease.isValid()) {
                valid(id, held);
                LockSupport.parkNanos(LOOK_NANOS);
            }
        } finally {
            release(id, held);
        }
    }
}
