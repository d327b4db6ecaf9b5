package io.holdfast.jdbc;

/** The round trips of MariaDB. */
class MariaDbRoundTripTest extends RoundTripRules {

    @Override
    DatabaseServer server() {
        return Servers.mariaDb();
    }
}
