package io.holdfast.redis;

import io.holdfast.Safety;
import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;
import org.junit.jupiter.api.Tag;

/** The rules of all stores, with a real server. */
@Tag("everywhere")
class RedisContractTest extends StoreContract {

    @Override
    protected StoreHarness newHarness() {
        Servers servers = Servers.shared();
        return new RedisHarness(servers.uri(), servers.redis, Safety.async());
    }
}
