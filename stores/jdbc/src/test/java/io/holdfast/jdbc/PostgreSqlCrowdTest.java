package io.holdfast.jdbc;

import java.io.IOException;
import java.nio.file.Path;

/** Faults of PostgreSQL. */
class PostgreSqlCrowdTest extends CrowdRules {

    @Override
    DatabaseServer start(Path folder) throws IOException, InterruptedException {
        return DatabaseServer.ownPostgreSql(folder);
    }
}
