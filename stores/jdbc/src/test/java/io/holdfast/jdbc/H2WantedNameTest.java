package io.holdfast.jdbc;

import io.holdfast.testkit.crowd.WantedNameRules;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/** A name that many clients want. */
@Tag("night")
class H2WantedNameTest extends WantedNameRules {

    private static final Databases DATABASE = Databases.memory();

    H2WantedNameTest() {
        super(DATABASE.url(), Duration.ofSeconds(2), 16);
    }

    @AfterAll
    static void end() throws SQLException {
        DATABASE.close();
    }
}
