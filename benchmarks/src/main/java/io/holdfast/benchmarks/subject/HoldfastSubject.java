package io.holdfast.benchmarks.subject;

import io.holdfast.AsyncLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Permit;
import io.holdfast.recipes.MultiLock;
import io.holdfast.recipes.SegmentLease;
import io.holdfast.recipes.SegmentedLock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

final class HoldfastSubject implements Subject {

    private static final Duration LINGER = Duration.ofSeconds(1);

    // with many processes on few cores a reply can take seconds, which is a measurement and not a failure
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Holdfast client;

    HoldfastSubject(String uri, Duration lease) {
        client = connect(uri, lease, PATIENCE);
    }

    /** Returns a client of one server, or of the independent servers whose URIs are given. */
    static Subject of(String uris, Duration lease) {
        List<String> each = ServerKind.split(uris);
        return each.size() == 1 ? new HoldfastSubject(uris, lease) : new HoldfastQuorum(each, lease);
    }

    static Holdfast connect(String uri, Duration lease, Duration commandTimeout) {
        return Holdfast.builder()
                .uri(uri)
                .lease(lease)
                .connectTimeout(PATIENCE.multipliedBy(6))
                .commandTimeout(commandTimeout)
                .build();
    }

    @Override
    public Lock lock(String name) {
        return client.lock(name);
    }

    @Override
    public Lock fairLock(String name) {
        return client.fairLock(name);
    }

    @Override
    public Lock cached(String name) {
        return client.lock(name, LockOptions.defaults().withLinger(LINGER));
    }

    @Override
    public ReadWriteLock readWriteLock(String name) {
        return client.readWriteLock(name);
    }

    @Override
    public Permits semaphore(String name, int permits) {
        DistributedSemaphore semaphore = client.semaphore(name);
        semaphore.trySetPermits(permits);
        return () -> {
            Permit permit = Interruptions.none(semaphore::acquire);
            return permit::close;
        };
    }

    @Override
    public Permits segmented(String name, int segments) {
        SegmentedLock lock = SegmentedLock.of(client, name, segments);
        return () -> {
            SegmentLease lease = Interruptions.none(lock::acquireAny);
            return lease::close;
        };
    }

    @Override
    public Lock multi(List<String> names) {
        return MultiLock.of(names.stream().map(client::lock).toList());
    }

    @Override
    public AsyncPair async(String name) {
        AsyncLock<Lease> lock = client.lock(name).async();
        return () -> lock.acquire().thenCompose(Lease::closeAsync);
    }

    @Override
    public void close() {
        client.close();
    }
}
