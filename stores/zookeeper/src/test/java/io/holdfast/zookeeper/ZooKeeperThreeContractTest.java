package io.holdfast.zookeeper;

import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;
import org.junit.jupiter.api.Tag;

/** The rules of all stores, with three ZooKeeper servers. */
@Tag("night")
class ZooKeeperThreeContractTest extends StoreContract {

    @Override
    protected StoreHarness newHarness() {
        return new ZooKeeperHarness(Servers.three());
    }
}
