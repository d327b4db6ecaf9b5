package io.holdfast.jdbc;

import io.holdfast.testkit.cluster.LostReleaseRules;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;

/** Releases in PostgreSQL whose answer is lost. */
class PostgreSqlLostReleaseTest extends LostReleaseRules {

    private final Databases database = Databases.at(Servers.postgreSql().uri(), "");

    PostgreSqlLostReleaseTest() {
        super(Servers.postgreSql().port(), Servers.postgreSql()::uri);
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
