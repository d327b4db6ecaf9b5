package io.holdfast.jdbc;

import org.junit.jupiter.api.Tag;

/** The guarded statements of MySQL. */
@Tag("mysql")
class MySqlAgreementTest extends AgreementRules {

    @Override
    DatabaseServer server() {
        return Servers.mySql();
    }
}
