package io.holdfast.jdbc;

import org.junit.jupiter.api.Tag;

/** Settings and tables of MySQL. */
@Tag("mysql")
class MySqlSettingsTest extends MySqlSettingsRules {

    MySqlSettingsTest() {
        super(Servers.mySql());
    }
}
