package io.holdfast.jdbc;

import org.junit.jupiter.api.Tag;

/** A data source of MySQL. */
@Tag("mysql")
class MySqlDataSourceTest extends MySqlDataSourceRules {

    @Override
    String uri() {
        return Servers.mySql().uri();
    }
}
