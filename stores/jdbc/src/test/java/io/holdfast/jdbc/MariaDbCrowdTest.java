package io.holdfast.jdbc;

import java.io.IOException;
import java.nio.file.Path;

/** Faults of MariaDB. */
class MariaDbCrowdTest extends CrowdRules {

    @Override
    DatabaseServer start(Path folder) throws IOException, InterruptedException {
        return DatabaseServer.mariaDb(folder);
    }
}
