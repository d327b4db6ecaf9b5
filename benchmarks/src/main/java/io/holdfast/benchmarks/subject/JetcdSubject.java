package io.holdfast.benchmarks.subject;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.grpc.stub.StreamObserver;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/**
 * The lock service of etcd through jetcd. It is fair. Because one lease is one owner, each thread has a lease of its own, which
 * jetcd keeps alive.
 */
final class JetcdSubject implements Subject {

    private static final long SECONDS_FOR_A_REQUEST = 10;

    private final Client client;
    private final Duration duration;
    private final Queue<AutoCloseable> renewals = new ConcurrentLinkedQueue<>();
    private final ThreadLocal<Long> leases = ThreadLocal.withInitial(this::grant);

    JetcdSubject(String uri, Duration lease) {
        duration = lease;
        client = Client.builder()
                .endpoints(Arrays.stream(ServerKind.withoutScheme(uri).split(","))
                        .map(server -> "http://" + server)
                        .toArray(String[]::new))
                .build();
    }

    private long grant() {
        long lease = answer(client.getLeaseClient().grant(duration.toSeconds())).getID();
        renewals.add(client.getLeaseClient().keepAlive(lease, new Ignored()));
        return lease;
    }

    private static <T> T answer(CompletableFuture<T> request) {
        return request.orTimeout(SECONDS_FOR_A_REQUEST, TimeUnit.SECONDS).join();
    }

    /** A lease that ends shows in the locks that it loses. */
    private static final class Ignored implements StreamObserver<LeaseKeepAliveResponse> {

        @Override
        public void onNext(LeaseKeepAliveResponse response) {}

        @Override
        public void onError(Throwable error) {}

        @Override
        public void onCompleted() {}
    }

    @Override
    public Lock lock(String name) {
        ByteSequence bytes = ByteSequence.from(name, StandardCharsets.UTF_8);
        return new SimpleLock() {
            // written by the holder alone
            private ByteSequence key = ByteSequence.EMPTY;

            @Override
            public void lock() {
                // it waits as long as another holds the lock
                key = client.getLockClient().lock(bytes, leases.get()).join().getKey();
            }

            @Override
            public void unlock() {
                ByteSequence held = key;
                answer(client.getLockClient().unlock(held));
            }
        };
    }

    @Override
    public Lock fairLock(String name) {
        return lock(name);
    }

    @Override
    public void close() {
        for (AutoCloseable renewal : renewals) {
            try {
                renewal.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        client.close();
    }
}
