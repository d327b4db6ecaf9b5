package io.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.testkit.contract.RealTimeHarness;
import io.holdfast.testservers.EtcdServers;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** An ensemble whose keys can be looked at. Each harness has a path of its own. */
final class EtcdHarness extends RealTimeHarness {

    /** Less than the length of a session, so that one that is left open is found. */
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final String path = "rule" + (10_000 + NUMBERS.incrementAndGet());
    private final EtcdServers ensemble;

    EtcdHarness(EtcdServers ensemble) {
        this.ensemble = ensemble;
    }

    @Override
    public String uri() {
        return ensemble.uri().replace("?", "/" + path + "?");
    }

    @Override
    public LockStore open(StoreConfig config) {
        return new EtcdStoreProvider().open(config);
    }

    @Override
    public void wipe() {
        var unused = KVGrpc.newBlockingStub(ensemble.channel(0))
                .deleteRange(DeleteRangeRequest.newBuilder()
                        .setKey(ByteString.copyFromUtf8(path + "/holdfast/r/"))
                        .setRangeEnd(ByteString.copyFromUtf8(path + "/holdfast/r0"))
                        .build());
    }

    /** Records stay; sessions do not. */
    @Override
    public void close() {
        passUntil(() -> ensemble.keys(path + "/holdfast/s/").isEmpty(), LIMIT);
        assertThat(ensemble.keys(path + "/holdfast/s/")).as("sessions").isEmpty();
        assertThat(ensemble.keys(path + "/holdfast/n/")).as("clients").isEmpty();
    }
}
