package io.holdfast.testkit.crowd;

import io.holdfast.Holdfast;
import io.holdfast.IndeterminateLockException;
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
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A process of a {@link Crowd}. Its threads contend for the names, and bystanders hold locks for so long that they are renewed. It
 * prints each event when it happens, so that the events of a process that is killed are known. Times are {@code nanoTime}, which
 * all processes of a host share.
 */
final class CrowdMember {

    private static final long WORK_NANOS = 1_000_000;
    private static final long LOOK_NANOS = 20_000_000;
    private static final long MEASURE_NANOS = 200_000_000;
    /** Bystanders that read, so that their leases are renewed together. */
    private static final int READERS = 3;

    private static final Duration COMMAND = Duration.ofSeconds(1);
    private static final Duration WAIT = Duration.ofSeconds(2);

    /** The time that a call may take beyond its own. */
    private static final Duration LATE = Duration.ofSeconds(2);

    /** On a busy machine, a process that starts needs long to connect. */
    private static final Duration CONNECT = Duration.ofSeconds(30);

    private final Holdfast client;
    private final Duration lease;
    private final List<CrowdLock> locks;
    private final Stalls stalls = new Stalls();
    private final AtomicLong lastId = new AtomicLong();
    private volatile boolean over;

    private CrowdMember(String uri, Duration lease, Path machine) {
        this.lease = lease;
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
        CrowdLock wanted = CrowdLock.ofLease(client.lock(CrowdLine.BYSTANDER), false);
        threads.add(new Thread(() -> stand(wanted), CrowdLine.BYSTANDER));
        String own = CrowdLine.BYSTANDER + "-" + ProcessHandle.current().pid() + "-";
        for (int i = 0; i < READERS; i++) {
            CrowdLock reader = CrowdLock.ofLease(client.readWriteLock(own + i).readLock(), true);
            threads.add(new Thread(() -> stand(reader), CrowdLine.BYSTANDER + i));
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
        Optional<Held> free =
                timed("try " + lock.name(), COMMAND, () -> lock.taking().take(Duration.ZERO));
        Optional<Held> taken = free.isPresent() ? free : await(lock);
        if (taken.isPresent()) {
            hold(lock, taken.get(), free.isEmpty());
        }
    }

    private Optional<Held> await(CrowdLock lock) throws Exception {
        return timed(
                "acquire " + lock.name(),
                WAIT.plus(COMMAND),
                () -> lock.taking().take(WAIT));
    }

    private void hold(CrowdLock lock, Held held, boolean waited) throws Exception {
        long id = lastId.incrementAndGet();
        try {
            boolean granted = grant(id, lock, held, waited);
            LockSupport.parkNanos(WORK_NANOS);
            if (granted) {
                valid(id, held);
            }
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
            long end = System.nanoTime();
            if (beyond(time, start, end) > LATE.toNanos()) {
                // a stall that has just ended is measured soon; a park may end at once
                TimeUnit.NANOSECONDS.sleep(MEASURE_NANOS);
                long beyond = beyond(time, start, end);
                if (beyond > LATE.toNanos()) {
                    CrowdLine.LATE.say(call, TimeUnit.NANOSECONDS.toMillis(beyond));
                }
            }
        }
    }

    private long beyond(Duration time, long start, long end) {
        return end - stalls.nanos() - start - time.toNanos();
    }

    /**
     * Releases a hold. One that is not valid any more, or that is in doubt, has ended by a release only if that returns. Otherwise
     * its loss has to be reported. Its owner relies on it until the release begins.
     */
    private void release(long id, Held held) throws Exception {
        boolean valid = !held.remaining().isZero();
        long begun = System.nanoTime();
        if (valid) {
            CrowdLine.RELEASE.say(id, begun);
        }
        timed("release", COMMAND, () -> {
            held.release();
            return id;
        });
        if (!valid) {
            CrowdLine.RELEASE.say(id, begun);
        }
    }

    /**
     * Reports a grant, unless its thread finds that it has ended or is in doubt, and so does not rely on it.
     *
     * @return {@code true} if the thread relies on it
     */
    private static boolean grant(long id, CrowdLock lock, Held held, boolean waited) {
        long now = System.nanoTime();
        long left = held.remaining().toNanos();
        if (left > 0) {
            CrowdLine.GRANT.say(
                    id,
                    lock.name(),
                    Thread.currentThread().getName(),
                    held.token(),
                    lock.reads(),
                    waited,
                    now,
                    now + left);
        }
        return left > 0;
    }

    private static void valid(long id, Held held) {
        // read before the lease is, so that a pause in between does not lengthen it
        long now = System.nanoTime();
        long left = held.remaining().toNanos();
        if (left > 0) {
            CrowdLine.VALID.say(id, now, now + left);
        }
    }

    private void stand(CrowdLock lock) {
        while (!over) {
            attempt(() -> standOnce(lock));
        }
    }

    /** Holds a lock for up to two leases, so that it is renewed. */
    private void standOnce(CrowdLock lock) throws Exception {
        Optional<Held> taken = await(lock);
        if (taken.isEmpty()) {
            return;
        }
        Held held = taken.get();
        long id = lastId.incrementAndGet();
        long end = System.nanoTime() + ThreadLocalRandom.current().nextLong(2 * lease.toNanos());
        try {
            boolean granted = grant(id, lock, held, false);
            while (granted && !over && !held.remaining().isZero() && System.nanoTime() - end < 0) {
                valid(id, held);
                LockSupport.parkNanos(LOOK_NANOS);
            }
        } finally {
            release(id, held);
        }
    }
}
