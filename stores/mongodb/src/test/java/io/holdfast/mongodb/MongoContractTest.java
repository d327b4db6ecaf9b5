package io.holdfast.mongodb;

import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;
import org.junit.jupiter.api.DisplayName;

/** The rules of all stores, with the server of {@link Servers}. */
@DisplayName("MongoDB's protocol, not run on mongod unless holdfast.mongodb.uri names one")
class MongoContractTest extends StoreContract {

    @Override
    protected StoreHarness newHarness() {
        return new MongoHarness();
    }
}
