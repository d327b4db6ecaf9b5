package io.holdfast.jdbc;

/** The round trips of PostgreSQL. */
class PostgreSqlRoundTripTest extends RoundTripRules {

    @Override
    DatabaseServer server() {
        return Servers.postgreSql();
    }
}
