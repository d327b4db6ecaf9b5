package io.holdfast.redisson.api;

import io.holdfast.Holdfast;
import io.holdfast.embedded.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.redisson.api.RedissonClient;

/** The contract with Holdfast on a real Redis. */
class RedisBridgeTest extends Contract {

    private final RedisServer server = RedisServer.start();
    private final RedissonClient client = RedissonLocks.client(Holdfast.connect(server.uri()));

    @Override
    RedissonClient client() {
        return client;
    }

    @AfterAll
    void close() {
        client.shutdown();
        server.close();
    }
}
