package io.holdfast.zookeeper;

import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;

/** The rules of all stores, with one ZooKeeper server. */
class ZooKeeperContractTest extends StoreContract {

    @Override
    protected StoreHarness newHarness() {
        return new ZooKeeperHarness(Servers.one());
    }
}
