package io.holdfast.etcd;

import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;
import org.junit.jupiter.api.Tag;

/** The rules of all stores, with three etcd servers. */
@Tag("night")
class EtcdThreeContractTest extends StoreContract {

    @Override
    protected StoreHarness newHarness() {
        return new EtcdHarness(Servers.three());
    }
}
