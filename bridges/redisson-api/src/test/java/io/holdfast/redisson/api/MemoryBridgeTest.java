package io.holdfast.redisson.api;

import io.holdfast.Holdfast;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.redisson.api.RedissonClient;

/** The contract with Holdfast in memory, on the class path and on the module path. */
@Tag("everywhere")
class MemoryBridgeTest extends Contract {

    private final RedissonClient client = RedissonLocks.client(Holdfast.connect("memory:"));

    @Override
    RedissonClient client() {
        return client;
    }

    @AfterAll
    void close() {
        client.shutdown();
    }
}
