package io.holdfast.jdbc;

import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;
import org.junit.jupiter.api.Tag;

/** The rules of all stores, with MariaDB. */
@Tag("ci")
class MariaDbContractTest extends StoreContract {

    @Override
    protected StoreHarness newHarness() {
        return Servers.mariaDb().harness();
    }
}
