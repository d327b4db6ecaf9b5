package io.holdfast.etcd;

import io.holdfast.testkit.cluster.Cluster;
import io.holdfast.testkit.cluster.ClusterCrowdRules;
import io.holdfast.testservers.EtcdServers;
import org.junit.jupiter.api.Tag;

/** Faults of three etcd servers. */
@Tag("night")
class EtcdCrowdTest extends ClusterCrowdRules {

    @Override
    protected Cluster newCluster() {
        return new EtcdServers(3);
    }
}
