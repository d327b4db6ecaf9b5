package io.holdfast.zookeeper;

import io.holdfast.testkit.cluster.ColdStartRules;
import org.junit.jupiter.api.Tag;

/** Many processes start at the same time. */
@Tag("night")
class ColdStartTest extends ColdStartRules {

    ColdStartTest() {
        super(Servers.one().uri());
    }
}
