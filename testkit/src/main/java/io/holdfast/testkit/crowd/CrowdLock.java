package io.holdfast.testkit.crowd;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A way to take one of the names for which a crowd contends.
 *
 * @param reads {@code true} if others may read at the same time
 */
record CrowdLock(String name, boolean reads, Taking taking) {

    /** Takes a name, waiting for at most the given time. */
    interface Taking {
        Optional<Held> take(Duration wait) throws InterruptedException;
    }

    /** What a thread has taken. */
    interface Held {
        long token();

        Duration remaining();

        void release();
    }

    /** Returns all ways of a client. */
    static List<CrowdLock> of(Holdfast client, Duration lease) {
        DistributedLock lock = client.lock("n-lock");
        DistributedLock fair = client.fairLock("n-fair");
        DistributedReadWriteLock shared = client.readWriteLock("n-shared");
        DistributedSemaphore semaphore = client.semaphore("n-permit");
        // one permit excludes all others, as a lock does
        Await.until("the permits are set", () -> semaphore.trySetPermits(1) || semaphore.permits() == 1);
        return List.of(
                ofThread(lock, false),
                ofThread(fair, false),
                ofThread(shared.readLock(), true),
                ofThread(shared.writeLock(), false),
                ofLease(lock, false),
                // it is not renewed
                new CrowdLock(
                        lock.name(), false, wait -> lock.tryAcquire(wait, lease).map(CrowdLock::held)),
                new CrowdLock(
                        lock.name(),
                        false,
                        wait -> Await.reply(lock.async().tryAcquire(wait)).map(CrowdLock::held)),
                new CrowdLock(
                        semaphore.name(),
                        false,
                        wait -> semaphore.tryAcquire(1, wait).map(CrowdLock::held)));
    }

    static CrowdLock ofLease(DistributedLock lock, boolean reads) {
        return new CrowdLock(lock.name(), reads, wait -> lock.tryAcquire(wait).map(CrowdLock::held));
    }

    private static CrowdLock ofThread(DistributedLock lock, boolean reads) {
        return new CrowdLock(
                lock.name(), reads, wait -> lock.tryLock(wait) ? Optional.of(held(lock)) : Optional.empty());
    }

    /** Fails if the hold is lost already; the thread then holds nothing. */
    private static Held held(DistributedLock lock) {
        long token;
        try {
            token = lock.fencingToken();
        } catch (LeaseLostException e) {
            lock.unlock();
            throw e;
        }
        return new Held() {
            @Override
            public long token() {
                return token;
            }

            @Override
            public Duration remaining() {
                return lock.remainingLease();
            }

            @Override
            public void release() {
                lock.unlock();
            }
        };
    }

    private static Held held(Lease lease) {
        return new Held() {
            @Override
            public long token() {
                return lease.fencingToken();
            }

            @Override
            public Duration remaining() {
                return lease.remainingLease();
            }

            @Override
            public void release() {
                lease.close();
            }
        };
    }
}
