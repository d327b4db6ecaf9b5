package io.holdfast.jdbc;

import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The rules of all stores, with a database in a file. */
@Tag("ci")
class H2FileContractTest extends StoreContract {

    @TempDir
    private static Path folder;

    @Override
    protected StoreHarness newHarness() {
        return new DatabaseHarness(Databases.file(folder));
    }
}
