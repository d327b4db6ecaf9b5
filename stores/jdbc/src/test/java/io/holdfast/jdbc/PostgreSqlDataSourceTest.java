package io.holdfast.jdbc;

import org.junit.jupiter.api.Test;

/** A data source of PostgreSQL. */
class PostgreSqlDataSourceTest extends DataSourceRules {

    @Override
    String uri() {
        return Servers.postgreSql().uri();
    }

    @Override
    String unusual() {
        return "SET lock_timeout = 4321; LISTEN application";
    }

    @Override
    String settings() {
        return "SELECT concat_ws(' ', current_setting('lock_timeout'), current_setting('statement_timeout'),"
                + " current_setting('synchronous_commit'), current_setting('default_transaction_isolation'),"
                + " (SELECT count(*) FROM pg_listening_channels()))";
    }

    @Test
    void aConnectionThatListensIsNotReturned() throws Exception {
        assertNotReturnedWhileInUse(
                sql -> sql.startsWith("UNLISTEN"),
                holdfast -> holdfast.lock("listening").acquire().close());
    }
}
