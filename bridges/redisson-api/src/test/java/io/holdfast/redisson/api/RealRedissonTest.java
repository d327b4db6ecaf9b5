package io.holdfast.redisson.api;

import io.holdfast.embedded.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** The contract with the real Redisson, which shows that the contract is that of Redisson. */
class RealRedissonTest extends Contract {

    private final RedisServer server = RedisServer.start();
    private final RedissonClient client = connect(server.uri());

    static RedissonClient connect(String uri) {
        Config config = new Config();
        config.setThreads(2).setNettyThreads(2);
        config.useSingleServer().setAddress(uri).setConnectionMinimumIdleSize(2).setConnectionPoolSize(16);
        return Redisson.create(config);
    }

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
