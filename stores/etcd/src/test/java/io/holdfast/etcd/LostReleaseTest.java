package io.holdfast.etcd;

import com.google.protobuf.ByteString;
import io.holdfast.testkit.cluster.LostReleaseRules;
import org.junit.jupiter.api.Tag;

/** Releases whose answer is lost. */
@Tag("etcd")
class LostReleaseTest extends LostReleaseRules {

    LostReleaseTest() {
        super(Servers.one().port(0), port -> "etcd://127.0.0.1:" + port + "?session=30s");
    }

    @Override
    protected void forget(String name) {
        Servers.one().delete(ByteString.copyFromUtf8("holdfast/r/l" + name));
    }
}
