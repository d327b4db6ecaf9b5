package io.holdfast.benchmarks.subject;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/**
 * A key that is created if it is absent, and deleted, through the bare protocol: the lower bound that server and gRPC set. A
 * thread that finds the key there waits for its deletion, which one watch of the client reports, and tries again.
 */
final class EtcdFloor implements Subject {

    private static final String PREFIX = "floor/";
    private static final long LEASE_SECONDS = 600;
    private static final long SECONDS_TO_END = 5;

    private final ManagedChannel channel;
    private final KVGrpc.KVBlockingStub keys;
    private final long lease;
    private final Map<ByteString, Semaphore> waiting = new ConcurrentHashMap<>();

    EtcdFloor(String uri) {
        channel = NettyChannelBuilder.forTarget(ServerKind.withoutScheme(uri).replaceFirst(",.*", ""))
                .usePlaintext()
                .build();
        keys = KVGrpc.newBlockingStub(channel);
        lease = LeaseGrpc.newBlockingStub(channel)
                .leaseGrant(LeaseGrantRequest.newBuilder().setTTL(LEASE_SECONDS).build())
                .getID();
        watch();
    }

    private void watch() {
        WatchGrpc.newStub(channel)
                .watch(new Deletions())
                .onNext(WatchRequest.newBuilder()
                        .setCreateRequest(WatchCreateRequest.newBuilder()
                                .setKey(ByteString.copyFromUtf8(PREFIX))
                                // the first key behind all with the prefix
                                .setRangeEnd(ByteString.copyFromUtf8("floor0"))
                                .addFilters(WatchCreateRequest.FilterType.NOPUT))
                        .build());
    }

    private final class Deletions implements StreamObserver<WatchResponse> {

        @Override
        public void onNext(WatchResponse response) {
            response.getEventsList()
                    .forEach(event -> waiting.getOrDefault(event.getKv().getKey(), new Semaphore(0))
                            .release());
        }

        /** The waiters then run into the time limit of the round. */
        @Override
        public void onError(Throwable error) {}

        @Override
        public void onCompleted() {}
    }

    @Override
    public Lock lock(String name) {
        ByteString key = ByteString.copyFromUtf8(PREFIX + name);
        TxnRequest create = TxnRequest.newBuilder()
                .addCompare(Compare.newBuilder()
                        .setKey(key)
                        .setTarget(Compare.CompareTarget.CREATE)
                        .setResult(Compare.CompareResult.EQUAL)
                        .setCreateRevision(0))
                .addSuccess(RequestOp.newBuilder()
                        .setRequestPut(PutRequest.newBuilder().setKey(key).setLease(lease)))
                .build();
        DeleteRangeRequest delete = DeleteRangeRequest.newBuilder().setKey(key).build();
        Semaphore deleted = waiting.computeIfAbsent(key, k -> new Semaphore(0));
        return new SimpleLock() {
            @Override
            public void lock() {
                while (!keys.txn(create).getSucceeded()) {
                    deleted.acquireUninterruptibly();
                }
            }

            @Override
            public void unlock() {
                if (keys.deleteRange(delete).getDeleted() != 1) {
                    throw new IllegalStateException(name + " was not held");
                }
            }
        };
    }

    @Override
    public void close() {
        boolean ended =
                Interruptions.none(() -> channel.shutdownNow().awaitTermination(SECONDS_TO_END, TimeUnit.SECONDS));
        if (!ended) {
            throw new IllegalStateException("the channel does not end");
        }
    }
}
