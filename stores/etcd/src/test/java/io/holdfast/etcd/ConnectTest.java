package io.holdfast.etcd;

import io.holdfast.testkit.cluster.ConnectRules;

/** A first connection that cannot be made. */
class ConnectTest extends ConnectRules {

    ConnectTest() {
        super("etcd");
    }
}
