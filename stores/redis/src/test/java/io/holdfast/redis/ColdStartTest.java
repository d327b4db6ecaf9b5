package io.holdfast.redis;

import io.holdfast.testkit.cluster.ColdStartRules;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/** Many processes start at the same time. */
@Tag("ci")
class ColdStartTest extends ColdStartRules {

    private static final Servers SERVERS = Servers.start();

    ColdStartTest() {
        super(SERVERS.uri());
    }

    @AfterAll
    static void end() {
        SERVERS.close();
    }
}
