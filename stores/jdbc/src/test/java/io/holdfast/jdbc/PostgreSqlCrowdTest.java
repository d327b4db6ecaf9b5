package io.holdfast.jdbc;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;

/** Faults of PostgreSQL. */
@Tag("night")
class PostgreSqlCrowdTest extends CrowdRules {

    @Override
    DatabaseServer start(Path folder) throws IOException, InterruptedException {
        return DatabaseServer.ownPostgreSql(folder);
    }
}
