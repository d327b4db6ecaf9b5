package io.holdfast.redis;

import io.holdfast.testkit.cluster.ColdStartRules;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/** Many processes start at the same time, and find the master by Sentinels. */
@Tag("night")
class SentinelColdStartTest extends ColdStartRules {

    private static final SentinelGroup SERVERS = new SentinelGroup();

    SentinelColdStartTest() {
        super(SERVERS.uri());
    }

    @AfterAll
    static void end() {
        SERVERS.close();
    }
}
