package io.holdfast.redis;

import io.holdfast.testkit.cluster.ColdStartRules;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/** Many processes start at the same time, and connect to all masters of a cluster. */
@Tag("night")
class ClusterColdStartTest extends ColdStartRules {

    private static final TestCluster SERVERS = new TestCluster(0, false);

    ClusterColdStartTest() {
        super(SERVERS.uri());
    }

    @AfterAll
    static void end() {
        SERVERS.close();
    }
}
