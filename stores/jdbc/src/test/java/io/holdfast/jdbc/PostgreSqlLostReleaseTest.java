package io.holdfast.jdbc;

/** Releases in PostgreSQL whose answer is lost. */
class PostgreSqlLostReleaseTest extends DatabaseLostReleaseRules {

    PostgreSqlLostReleaseTest() {
        super(Servers.postgreSql());
    }
}
