package io.holdfast.jdbc;

/** A data source of MySQL or MariaDB. */
abstract class MySqlDataSourceRules extends DataSourceRules {

    @Override
    String unusual() {
        return "SET time_zone = '+05:00', innodb_lock_wait_timeout = 7";
    }

    @Override
    String settings() {
        return "SELECT concat_ws(@@time_zone, @@sql_mode, @@innodb_lock_wait_timeout, @@lock_wait_timeout, @@transaction_isolation)";
    }
}
