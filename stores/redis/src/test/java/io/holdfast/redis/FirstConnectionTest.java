package io.holdfast.redis;

import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.testkit.cluster.FirstConnectionRules;
import org.junit.jupiter.api.AfterAll;

class FirstConnectionTest extends FirstConnectionRules {

    private static final RedisServer SERVER = RedisServer.start();

    FirstConnectionTest() {
        super(SERVER.port(), port -> "redis://127.0.0.1:" + port);
    }

    @AfterAll
    static void stop() {
        SERVER.close();
    }
}
