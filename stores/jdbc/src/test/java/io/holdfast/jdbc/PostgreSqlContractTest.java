package io.holdfast.jdbc;

import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;

/** The rules of all stores, with PostgreSQL. */
class PostgreSqlContractTest extends StoreContract {

    @Override
    protected StoreHarness newHarness() {
        return Servers.postgreSql().harness();
    }
}
