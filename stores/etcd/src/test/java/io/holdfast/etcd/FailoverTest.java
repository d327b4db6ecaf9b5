package io.holdfast.etcd;

import io.holdfast.testkit.cluster.Cluster;
import io.holdfast.testkit.cluster.FailoverRules;
import io.holdfast.testservers.EtcdServers;
import org.junit.jupiter.api.Tag;

/** The leader of three etcd servers is killed. */
@Tag("etcd")
class FailoverTest extends FailoverRules {

    FailoverTest() {
        super(new EtcdStoreProvider());
    }

    @Override
    protected Cluster newCluster() {
        return new EtcdServers(3);
    }
}
