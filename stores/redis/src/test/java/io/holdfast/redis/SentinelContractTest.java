package io.holdfast.redis;

import io.holdfast.Safety;
import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The rules of all stores, with a master that Sentinels name, and where a replica must have what it grants. */
@Tag("once")
class SentinelContractTest extends StoreContract {

    private static SentinelGroup group;
    private static RedisClient client;
    private static StatefulRedisConnection<String, String> master;

    @BeforeAll
    static void start() {
        group = new SentinelGroup();
        client = RedisClient.create(group.master().uri());
        master = client.connect();
    }

    @AfterAll
    static void stop() {
        master.close();
        client.shutdown();
        group.close();
    }

    @Override
    protected StoreHarness newHarness() {
        return new RedisHarness(group.uri(), master.sync(), Safety.replicated(1));
    }
}
