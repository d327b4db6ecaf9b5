package io.holdfast.redis;

import io.holdfast.Safety;
import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The rules of all stores, with a cluster of three masters, as a user with no more rights than needed. */
class ClusterContractTest extends StoreContract {

    private static TestCluster cluster;

    @BeforeAll
    static void start() {
        cluster = new TestCluster(0, false);
        cluster.each(redis -> Servers.allow(redis, "app", MinimalRights.with(TestCluster.RIGHTS)));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Override
    protected StoreHarness newHarness() {
        return new RedisHarness(
                cluster.uri().replace("//", "//app:secret@"),
                cluster.masters().map(TestCluster.Node::redis).toList(),
                Safety.async());
    }
}
