package io.holdfast.etcd;

import io.holdfast.testkit.cluster.FirstConnectionRules;
import org.junit.jupiter.api.Tag;

@Tag("etcd")
class FirstConnectionTest extends FirstConnectionRules {

    FirstConnectionTest() {
        super(Servers.one().port(0), port -> "etcd://127.0.0.1:" + port);
    }
}
