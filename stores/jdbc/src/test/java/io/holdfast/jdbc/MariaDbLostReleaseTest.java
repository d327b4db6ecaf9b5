package io.holdfast.jdbc;

import io.holdfast.testkit.cluster.LostReleaseRules;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;

/** Releases in MariaDB whose answer is lost. */
class MariaDbLostReleaseTest extends LostReleaseRules {

    private final Databases database = Databases.at(Servers.mariaDb().uri(), "");

    MariaDbLostReleaseTest() {
        super(Servers.mariaDb().port(), Servers.mariaDb()::uri);
    }

    @Override
    protected void forget(String name) {
        database.run("DELETE FROM holdfast_locks WHERE name = 'L" + name + "'");
    }

    @AfterEach
    void closeDatabase() throws SQLException {
        database.close();
    }
}
