package io.holdfast.zookeeper;

import io.holdfast.testkit.cluster.SuspendRules;
import java.time.Duration;
import org.junit.jupiter.api.Tag;

/** The machine of a client is suspended. */
@Tag("ci")
class SuspendTest extends SuspendRules {

    SuspendTest() {
        super(new ZooKeeperStoreProvider(), Servers.one().uri(Duration.ofSeconds(10)));
    }
}
