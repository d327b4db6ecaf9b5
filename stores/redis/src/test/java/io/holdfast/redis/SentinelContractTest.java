package io.holdfast.redis;

import io.holdfast.Safety;
import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * The rules of all stores, with a master that Sentinels name, where a replica must have what it grants, and as a user who may do
 * no more than has to be.
 */
@Tag("ci")
class SentinelContractTest extends StoreContract {

    private static SentinelGroup group;
    private static RedisClient client;
    private static StatefulRedisConnection<String, String> master;

    @BeforeAll
    static void start() {
        group = new SentinelGroup();
        group.waitBeforeAFailover(Duration.ofSeconds(10));
        client = RedisClient.create(group.master().uri());
        master = client.connect();
        Servers.allow(master.sync(), "app", MinimalRights.with("wait"));
    }

    @AfterAll
    static void stop() {
        master.close();
        client.shutdown();
        group.close();
    }

    @Override
    protected StoreHarness newHarness() {
        return new RedisHarness(group.uri().replace("//", "//app:secret@"), master.sync(), Safety.replicated(1));
    }
}
