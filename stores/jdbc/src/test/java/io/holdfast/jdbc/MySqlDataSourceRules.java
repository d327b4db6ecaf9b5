package io.holdfast.jdbc;

/** A data source of MySQL or MariaDB. */
abstract class MySqlDataSourceRules extends DataSourceRules {

    @Override
    String unusual() {
        return "SET time_zone = '+05:00', innodb_lock_wait_timeout = 7, sql_select_limit = 1";
    }

    @Override
    String settings() {
        return "SELECT concat_ws(@@time_zone, @@sql_mode, @@innodb_lock_wait_timeout, @@lock_wait_timeout, @@sql_select_limit, @@transaction_isolation)";
    }
}
