package io.holdfast.jdbc;

import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;
import org.junit.jupiter.api.Tag;

/** The rules of all stores, with PostgreSQL behind a connection pooler in transaction mode. */
@Tag("pgbouncer")
@Tag("night")
class PgBouncerContractTest extends StoreContract {

    @Override
    protected StoreHarness newHarness() {
        return Servers.postgreSql().harness(PgBouncer.shared()::uri);
    }
}
