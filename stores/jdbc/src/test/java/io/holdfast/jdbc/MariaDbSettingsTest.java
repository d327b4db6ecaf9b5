package io.holdfast.jdbc;

/** Settings and tables of MariaDB. */
class MariaDbSettingsTest extends MySqlSettingsRules {

    MariaDbSettingsTest() {
        super(Servers.mariaDb());
    }
}
