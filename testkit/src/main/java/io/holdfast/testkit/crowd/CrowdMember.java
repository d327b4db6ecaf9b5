package io.holdfast.testkit.crowd;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Holdfast;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.StoreUnavailableException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

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

    /** On a busy machine, a process that starts needs long to connect. */
    private static final Duration CONNECT = Duration.ofSeconds(30);

    private final Holdfast client;
    private final AtomicLong lastId = new AtomicLong();
    private volatile boolean over;

    private CrowdMember(String uri, Duration lease) {
        client = Holdfast.builder()
                .uri(uri)
                .lease(lease)
                .commandTimeout(COMMAND)
                .connectTimeout(CONNECT)
                .listener(CrowdMember::heard)
                .build();
    }

    /** Works until its input ends. The arguments are the URI, the lease in milliseconds, and the number of threads. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        CrowdMember member = new CrowdMember(arguments[0], Duration.ofMillis(Long.parseLong(arguments[1])));
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
            int first = i;
            threads.add(new Thread(() -> member.contend(first), "thread-" + i));
        }
        String own = "bystander-" + ProcessHandle.current().pid();
        threads.add(new Thread(() -> member.stand(member.client.lock(own), false), CrowdLine.BYSTANDER));
        for (int i = 0; i < READERS; i++) {
            DistributedLock reader = member.client.readWriteLock(own + "-" + i).readLock();
            threads.add(new Thread(() -> member.stand(reader, true), CrowdLine.BYSTANDER + i));
        }
        threads.forEach(Thread::start);
        if (System.in.read() >= 0) {
            throw new IOException("input that is not its end");
        }
        member.over = true;
        for (Thread thread : threads) {
            thread.join();
        }
        member.client.close();
        say(CrowdLine.DONE);
    }

    private static void say(Object... words) {
        StringBuilder line = new StringBuilder();
        for (Object word : words) {
            line.append(word).append(' ');
        }
        // a line that was cut off by a kill has no such end
        System.out.println(line.append(CrowdLine.END));
    }

    private static void heard(LockEvent event) {
        if (event instanceof LockEvent.Lost lost) {
            say(CrowdLine.LOST, lost.name(), lost.fencingToken(), System.nanoTime());
        }
    }

    private void contend(int first) {
        DistributedReadWriteLock shared = client.readWriteLock("n-shared");
        List<DistributedLock> locks =
                List.of(client.lock("n-lock"), client.fairLock("n-fair"), shared.readLock(), shared.writeLock());
        for (int round = first; !over; round++) {
            DistributedLock lock = locks.get(round % locks.size());
            attempt(() -> turn(lock, lock == shared.readLock()));
        }
    }

    private interface Step {
        void run() throws InterruptedException;
    }

    /** Fails by nothing that a fault of the server explains. */
    private void attempt(Step step) {
        try {
            step.run();
        } catch (StoreUnavailableException | IndeterminateLockException | LeaseLostException e) {
            say(CrowdLine.FAILURE, e.getClass().getSimpleName());
        } catch (InterruptedException | RuntimeException | Error e) {
            say(CrowdLine.ERROR, e);
            over = true;
        }
    }

    private void turn(DistributedLock lock, boolean reads) {
        boolean waits = !lock.tryLock();
        if (waits) {
            lock.lock();
        }
        long id = lastId.incrementAndGet();
        try {
            grant(id, lock.name(), lock.fencingToken(), reads, waits);
            valid(id, lock::remainingLease);
            LockSupport.parkNanos(WORK_NANOS);
            valid(id, lock::remainingLease);
        } finally {
            release(id, !lock.remainingLease().isZero(), lock::unlock);
        }
    }

    /** A hold that is no longer valid has ended by a release only if that returns. Otherwise its loss has to be reported. */
    private static void release(long id, boolean valid, Runnable release) {
        if (valid) {
            say(CrowdLine.RELEASE, id, System.nanoTime());
        }
        release.run();
        if (!valid) {
            say(CrowdLine.RELEASE, id, System.nanoTime());
        }
    }

    private static void grant(long id, String name, long token, boolean reads, boolean waited) {
        say(CrowdLine.GRANT, id, name, Thread.currentThread().getName(), token, reads, waited, System.nanoTime());
    }

    private static void valid(long id, Supplier<Duration> remaining) {
        // read before the lease is, so that a pause in between does not lengthen it
        long now = System.nanoTime();
        long left = remaining.get().toNanos();
        if (left > 0) {
            say(CrowdLine.VALID, id, now + left);
        }
    }

    private void stand(DistributedLock lock, boolean reads) {
        while (!over) {
            attempt(() -> standOnce(lock, reads));
        }
    }

    private void standOnce(DistributedLock lock, boolean reads) throws InterruptedException {
        Lease lease = lock.acquire();
        long id = lastId.incrementAndGet();
        try {
            grant(id, lock.name(), lease.fencingToken(), reads, false);
            while (!over && lease.isValid()) {
                valid(id, lease::remainingLease);
                LockSupport.parkNanos(LOOK_NANOS);
            }
        } finally {
            release(id, lease.isValid(), lease::close);
        }
    }
}
