package io.holdfast.zookeeper;

import io.holdfast.testkit.cluster.Cluster;
import io.holdfast.testkit.cluster.ClusterCrowdRules;
import io.holdfast.testservers.ZooKeeperServers;
import org.junit.jupiter.api.Tag;

/** Faults of three ZooKeeper servers. */
@Tag("night")
class ZooKeeperCrowdTest extends ClusterCrowdRules {

    @Override
    protected Cluster newCluster() {
        return new ZooKeeperServers(3);
    }
}
