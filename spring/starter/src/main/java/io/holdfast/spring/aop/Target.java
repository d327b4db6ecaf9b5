package io.holdfast.spring.aop;

import static io.holdfast.spi.Names.printable;
import static io.holdfast.spi.Names.quoted;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a method acquires: a lock, or permits of a semaphore. */
sealed interface Target {

    Logger LOG = LoggerFactory.getLogger("io.holdfast.spring");

    static Target of(Holdfast client, LockedMethod method, String name) {
        return switch (method.kind()) {
            case LOCK -> new OfLock(client.lock(name));
            case FAIR -> new OfLock(client.fairLock(name));
            case READ -> new OfLock(client.readWriteLock(name).readLock());
            case WRITE -> new OfLock(writeLock(method, client.readWriteLock(name)));
            case PERMITS -> new OfPermits(client.semaphore(name), name, method.permits());
        };
    }

    /**
     * Returns the write lock.
     *
     * @throws IllegalStateException if the calling thread holds the read lock, because it would wait for itself
     */
    private static DistributedLock writeLock(LockedMethod method, DistributedReadWriteLock lock) {
        boolean waits = method.returns() != ReturnKind.PUBLISHER;
        if (waits
                && lock.readLock().isHeldByCurrentThread()
                && !lock.writeLock().isHeldByCurrentThread()) {
            // a lost hold does not block; it is reported as lost
            var unused = lock.readLock().fencingToken();
            throw new IllegalStateException(
                    method.attributes().where() + ": this thread holds read/write lock " + quoted(lock.name())
                            + " to read, so it would wait for itself; call the method outside of the one that reads, or let both"
                            + " write");
        }
        return lock.writeLock();
    }

    /** Acquires for the calling thread; empty if the time is up. */
    Optional<Held> hold(Duration wait, Optional<Duration> lease) throws InterruptedException;

    /** Acquires for no thread; empty if the time is up. */
    Optional<? extends Lease> acquire(Duration wait, Optional<Duration> lease) throws InterruptedException;

    /** Returns the name of the lock or semaphore. */
    String name();

    /** Returns who is in the way, for an error; a request to the store. */
    String holder();

    /** A lock. */
    record OfLock(DistributedLock lock) implements Target {

        @Override
        public Optional<Held> hold(Duration wait, Optional<Duration> lease) throws InterruptedException {
            boolean locked = lease.isPresent() ? lock.tryLock(wait, lease.get()) : lock.tryLock(wait);
            return locked ? Optional.of(new ByThread(lock)) : Optional.empty();
        }

        @Override
        public Optional<Lease> acquire(Duration wait, Optional<Duration> lease) throws InterruptedException {
            return lease.isPresent() ? lock.tryAcquire(wait, lease.get()) : lock.tryAcquire(wait);
        }

        @Override
        public String name() {
            return lock.name();
        }

        @Override
        public String holder() {
            return described(() -> lock.holder()
                    .map(holder -> "held by " + printable(holder.toString()))
                    .orElse("free by now"));
        }

        @Override
        public String toString() {
            return "lock " + quoted(lock.name());
        }
    }

    /** Permits of a semaphore. */
    record OfPermits(DistributedSemaphore semaphore, String name, int permits) implements Target {

        @Override
        public Optional<Held> hold(Duration wait, Optional<Duration> lease) throws InterruptedException {
            return acquire(wait, lease).map(ByLease::new);
        }

        @Override
        public Optional<? extends Lease> acquire(Duration wait, Optional<Duration> lease) throws InterruptedException {
            return lease.isPresent()
                    ? semaphore.tryAcquire(permits, wait, lease.get())
                    : semaphore.tryAcquire(permits, wait);
        }

        @Override
        public String holder() {
            return described(() -> semaphore.available() + " of " + semaphore.permits() + " permits are free");
        }

        @Override
        public String toString() {
            return permits + " permits of semaphore " + quoted(name);
        }
    }

    /** A description must not hide the failure that it is for. */
    private static String described(Supplier<String> description) {
        try {
            return description.get();
        } catch (HoldfastException e) {
            return "the holder is not known: " + e.getMessage();
        }
    }

    /** A level of the calling thread. */
    record ByThread(DistributedLock lock) implements Held {

        @Override
        public long token() {
            return lock.fencingToken();
        }

        @Override
        public void requireNotLost() {
            var unused = lock.fencingToken();
        }

        @Override
        public void close() {
            lock.unlock();
        }
    }

    /** A lease. */
    record ByLease(Lease lease) implements Held {

        @Override
        public long token() {
            return lease.fencingToken();
        }

        @Override
        public void requireNotLost() {
            try {
                lease.ensureValid(Duration.ZERO);
            } catch (StoreUnavailableException e) {
                // after a step of the clocks, only the store can confirm the hold; it is not known to be lost
                LOG.debug("{} is not confirmed", lease, e);
            }
        }

        @Override
        public void close() {
            lease.close();
        }
    }
}
