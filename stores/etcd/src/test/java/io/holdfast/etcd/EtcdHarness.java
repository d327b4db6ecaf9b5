package io.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.testkit.contract.RealTimeHarness;
import java.time.Duration;

/** An ensemble whose keys can be looked at. */
final class EtcdHarness extends RealTimeHarness {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final Ensemble ensemble;

    EtcdHarness(Ensemble ensemble) {
        this.ensemble = ensemble;
    }

    @Override
    public String uri() {
        return ensemble.uri();
    }

    @Override
    public LockStore open(StoreConfig config) {
        return new EtcdStoreProvider().open(config);
    }

    @Override
    public void wipe() {
        var unused = KVGrpc.newBlockingStub(ensemble.channel(0))
                .deleteRange(DeleteRangeRequest.newBuilder()
                        .setKey(ByteString.copyFromUtf8("holdfast/r/"))
                        .setRangeEnd(ByteString.copyFromUtf8("holdfast/r0"))
                        .build());
    }

    /** Records stay; sessions do not. */
    @Override
    public void close() {
        passUntil(() -> ensemble.keys("holdfast/s/").isEmpty(), LIMIT);
        assertThat(ensemble.keys("holdfast/s/")).as("sessions").isEmpty();
        assertThat(ensemble.keys("holdfast/n/")).as("clients").isEmpty();
    }
}
