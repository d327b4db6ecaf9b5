package io.holdfast.jdbc;

/** The guarded statements of PostgreSQL. */
class PostgreSqlAgreementTest extends AgreementRules {

    @Override
    DatabaseServer server() {
        return Servers.postgreSql();
    }
}
