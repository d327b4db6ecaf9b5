package io.holdfast.jdbc;

import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;
import org.junit.jupiter.api.Tag;

/** The rules of all stores, with a database in memory. */
@Tag("everywhere")
class H2MemoryContractTest extends StoreContract {

    @Override
    protected StoreHarness newHarness() {
        return new DatabaseHarness(Databases.memory());
    }
}
