package io.holdfast.zookeeper;

import io.holdfast.testkit.cluster.Cluster;
import io.holdfast.testkit.cluster.ClusterCrowdRules;
import org.junit.jupiter.api.Tag;

/** Faults of three ZooKeeper servers. */
@Tag("night")
class ZooKeeperCrowdTest extends ClusterCrowdRules {

    @Override
    protected Cluster newCluster() {
        return new Ensemble(3);
    }
}
