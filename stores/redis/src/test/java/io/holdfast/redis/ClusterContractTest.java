package io.holdfast.redis;

import io.holdfast.Safety;
import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The rules of all stores, with a cluster of three masters. */
@Tag("once")
class ClusterContractTest extends StoreContract {

    private static TestCluster cluster;

    @BeforeAll
    static void start() {
        cluster = new TestCluster(0);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Override
    protected StoreHarness newHarness() {
        return new RedisHarness(
                cluster.uri(), cluster.masters().map(TestCluster.Node::redis).toList(), Safety.async());
    }
}
