package io.holdfast.etcd;

import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;
import org.junit.jupiter.api.Tag;

/** The rules of all stores, with one etcd server. */
@Tag("etcd")
class EtcdContractTest extends StoreContract {

    @Override
    protected StoreHarness newHarness() {
        return new EtcdHarness(Servers.one());
    }
}
