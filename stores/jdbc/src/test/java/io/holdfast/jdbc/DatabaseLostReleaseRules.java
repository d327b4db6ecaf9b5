package io.holdfast.jdbc;

import io.holdfast.testkit.cluster.LostReleaseRules;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;

/** Releases in a database whose answer is lost. */
abstract class DatabaseLostReleaseRules extends LostReleaseRules {

    private final Databases database;

    DatabaseLostReleaseRules(DatabaseServer server) {
        super(server.port(), server::uri);
        database = Databases.at(server.uri(), "");
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
