package io.holdfast.jdbc;

import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;

/** The rules of all stores, with MariaDB. */
class MariaDbContractTest extends StoreContract {

    @Override
    protected StoreHarness newHarness() {
        return Servers.mariaDb().harness();
    }
}
