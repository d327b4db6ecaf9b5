package io.holdfast.jdbc;

import org.junit.jupiter.api.Tag;

/** The round trips of MySQL. */
@Tag("mysql")
class MySqlRoundTripTest extends RoundTripRules {

    @Override
    DatabaseServer server() {
        return Servers.mySql();
    }
}
