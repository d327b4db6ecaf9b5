package io.holdfast.jdbc;

import org.junit.jupiter.api.Tag;

/** A data source of MySQL. */
@Tag("mysql")
class MySqlDataSourceTest extends DataSourceRules {

    @Override
    String uri() {
        return Servers.mySql().uri();
    }

    @Override
    String unusual() {
        return "SET time_zone = '+05:00', innodb_lock_wait_timeout = 7";
    }

    @Override
    String settings() {
        return "SELECT concat_ws(@@time_zone, @@sql_mode, @@innodb_lock_wait_timeout, @@lock_wait_timeout, @@transaction_isolation)";
    }
}
