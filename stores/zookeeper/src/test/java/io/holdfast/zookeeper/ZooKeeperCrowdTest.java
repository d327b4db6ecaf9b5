package io.holdfast.zookeeper;

import io.holdfast.testkit.cluster.Cluster;
import io.holdfast.testkit.cluster.ClusterCrowdRules;

/** Faults of three ZooKeeper servers. */
class ZooKeeperCrowdTest extends ClusterCrowdRules {

    @Override
    protected Cluster newCluster() {
        return new Ensemble(3);
    }
}
