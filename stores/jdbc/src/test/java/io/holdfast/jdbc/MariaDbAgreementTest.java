package io.holdfast.jdbc;

/** The guarded statements of MariaDB. */
class MariaDbAgreementTest extends AgreementRules {

    @Override
    DatabaseServer server() {
        return Servers.mariaDb();
    }
}
