package io.holdfast.jdbc;

import io.holdfast.testkit.cluster.ColdStartRules;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/** Many processes start at the same time. */
@Tag("night")
class ColdStartTest extends ColdStartRules {

    private static final Databases DATABASE = Servers.postgreSql().database();

    ColdStartTest() {
        super(DATABASE.url());
    }

    @AfterAll
    static void end() throws SQLException {
        DATABASE.close();
    }
}
