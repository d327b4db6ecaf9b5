package io.holdfast.benchmarks.subject;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

final class RedissonSubject implements Subject {

    private final RedissonClient client;
    private final AtomicLong owners = new AtomicLong(1L << 40);

    RedissonSubject(String uri, Duration lease) {
        client = connect(uri, lease);
    }

    /** Returns a client of one server, or of the independent servers whose URIs are given. */
    static Subject of(String uris, Duration lease) {
        List<String> each = ServerKind.split(uris);
        return each.size() == 1 ? new RedissonSubject(uris, lease) : new RedissonQuorum(each, lease);
    }

    static RedissonClient connect(String uri, Duration lease) {
        Config config = new Config();
        config.setLockWatchdogTimeout(lease.toMillis());
        config.useSingleServer().setAddress(uri);
        return Redisson.create(config);
    }

    @Override
    public Lock lock(String name) {
        return client.getLock(name);
    }

    @Override
    public Lock fairLock(String name) {
        return client.getFairLock(name);
    }

    @Override
    public ReadWriteLock readWriteLock(String name) {
        return client.getReadWriteLock(name);
    }

    /** Returns the semaphore whose permits expire, because only these are released after a crash. */
    @Override
    public Permits semaphore(String name, int permits) {
        RPermitExpirableSemaphore semaphore = client.getPermitExpirableSemaphore(name);
        semaphore.trySetPermits(permits);
        return () -> {
            String id = Interruptions.none(semaphore::acquire);
            return () -> semaphore.release(id);
        };
    }

    /** Redisson has no segmented lock. Its users take one lock instead. */
    @Override
    public Permits segmented(String name, int segments) {
        RLock lock = client.getLock(name);
        return () -> {
            lock.lock();
            return lock::unlock;
        };
    }

    @Override
    public Lock multi(List<String> names) {
        return client.getMultiLock(names.stream().map(client::getLock).toArray(RLock[]::new));
    }

    @Override
    public AsyncPair async(String name) {
        RLock lock = client.getLock(name);
        long owner = owners.incrementAndGet();
        return () -> lock.lockAsync(owner).thenCompose(locked -> lock.unlockAsync(owner));
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
