package io.holdfast.jdbc;

/** A fence in MariaDB. */
class MariaDbFenceTest extends MySqlFenceRules {

    @Override
    String uri() {
        return Servers.mariaDb().uri();
    }
}
