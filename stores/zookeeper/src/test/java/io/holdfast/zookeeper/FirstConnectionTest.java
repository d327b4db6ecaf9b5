package io.holdfast.zookeeper;

import io.holdfast.testkit.cluster.FirstConnectionRules;
import io.holdfast.testservers.ZooKeeperServers;

class FirstConnectionTest extends FirstConnectionRules {

    FirstConnectionTest() {
        super(
                Servers.one().port(0),
                port -> "zookeeper://127.0.0.1:" + port + "?session=6s&tick=" + ZooKeeperServers.TICK.toMillis()
                        + "ms");
    }
}
