package io.holdfast.jdbc;

/** A data source of MariaDB. */
class MariaDbDataSourceTest extends MySqlDataSourceRules {

    @Override
    String uri() {
        return Servers.mariaDb().uri();
    }
}
