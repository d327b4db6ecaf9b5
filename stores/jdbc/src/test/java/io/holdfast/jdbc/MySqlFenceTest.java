package io.holdfast.jdbc;

import org.junit.jupiter.api.Tag;

/** A fence in MySQL. */
@Tag("mysql")
class MySqlFenceTest extends MySqlFenceRules {

    @Override
    String uri() {
        return Servers.mySql().uri();
    }
}
