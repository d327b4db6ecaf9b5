package io.holdfast.zookeeper;

import io.holdfast.testkit.cluster.Cluster;
import io.holdfast.testkit.cluster.FailoverRules;
import io.holdfast.testservers.ZooKeeperServers;
import org.junit.jupiter.api.Tag;

/** The leader of three ZooKeeper servers is killed. */
@Tag("night")
class FailoverTest extends FailoverRules {

    FailoverTest() {
        super(new ZooKeeperStoreProvider());
    }

    @Override
    protected Cluster newCluster() {
        return new ZooKeeperServers(3);
    }
}
