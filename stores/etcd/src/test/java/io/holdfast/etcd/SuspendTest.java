package io.holdfast.etcd;

import io.holdfast.testkit.cluster.SuspendRules;
import java.time.Duration;
import org.junit.jupiter.api.Tag;

/** The machine of a client is suspended. */
@Tag("etcd")
class SuspendTest extends SuspendRules {

    SuspendTest() {
        super(new EtcdStoreProvider(), Servers.one().uri(Duration.ofSeconds(10)));
    }
}
