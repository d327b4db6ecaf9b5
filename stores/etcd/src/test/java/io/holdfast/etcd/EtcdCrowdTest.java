package io.holdfast.etcd;

import io.holdfast.testkit.cluster.Cluster;
import io.holdfast.testkit.cluster.ClusterCrowdRules;
import org.junit.jupiter.api.Tag;

/** Faults of three etcd servers. */
@Tag("night")
class EtcdCrowdTest extends ClusterCrowdRules {

    @Override
    protected Cluster newCluster() {
        return new Ensemble(3);
    }
}
