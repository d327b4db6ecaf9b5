package io.holdfast.jdbc;

import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The rules of all stores, with a database in a file. */
class H2FileContractTest extends StoreContract {

    @TempDir
    private static Path folder;

    @Override
    protected StoreHarness newHarness() {
        return new DatabaseHarness(Databases.file(folder));
    }
}
