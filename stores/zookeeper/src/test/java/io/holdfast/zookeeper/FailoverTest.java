package io.holdfast.zookeeper;

import io.holdfast.testkit.cluster.Cluster;
import io.holdfast.testkit.cluster.FailoverRules;

/** The leader of three ZooKeeper servers is killed. */
class FailoverTest extends FailoverRules {

    FailoverTest() {
        super(new ZooKeeperStoreProvider());
    }

    @Override
    protected Cluster newCluster() {
        return new Ensemble(3);
    }
}
